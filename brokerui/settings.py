"""Settings. All are safe as they stand; a deployment changes them through the environment.

READ_ONLY           on: nobody changes anything, whatever the role
REDIS_URL           default: a Valkey of our own, at a socket in the home
DEMO                off: a new home starts without the demo estate, and an old one stands still
BROKERUI_HOME       folder of everything that is written (default: var/ of the checkout; of an installed package
                    brokerui/ in XDG_DATA_HOME or ~/.local/share)
DATABASE_URL        default: SQLite in the home
SECRET_KEY          default: made at random at the first start and kept in the home
DEBUG               default: off
ALLOWED_HOSTS       names under which the site may be asked for, by commas (default: this machine only)
HTTPS               on: redirect to https, HSTS, secure cookies; for a site behind a proxy that ends TLS
CSRF_TRUSTED_ORIGINS  origins whose forms are accepted, by commas; needed behind some proxies
API_RATE_USER, API_RATE_STRANGER    requests to the REST interface, e.g. 1200/min; of a user, of an address without one
PROXIES             proxies of yours before the site, whose word about a client's address is taken (default: 0)
SCENARIO_MAX_BYTES, SCENARIO_KEEP   largest document one may upload, and how many are kept
ENDPOINT_CERTIFICATE, ENDPOINT_KEY, ENDPOINT_AUTHORITY  PEM files: TLS between instances, both with certificates
ENDPOINT_CONNECT    certificates that may connect, by commas: NAME or NAME=INSTANCE (default: each, as its own name)
ENDPOINT_ENCRYPTION  "disabled": instances speak beyond this machine without TLS (default: required)
ENDPOINT_CONNECTIONS, ENDPOINT_CONNECTIONS_OF_PEER  that are accepted, and of these from one network address
ENDPOINT_SHARDS     lists in which fragments arrive for one instance; the same in all processes (default: 4)
ENDPOINT_LIST_BYTES, ENDPOINT_LISTS_BYTES  largest list between endpoint and workers, and all of them together
ENDPOINT_LIST_BYTES_OF_PEER  what one peer may have in a list (default: 1 MB); one that sends more is read more slowly
ACTIVATION_TASKS    Celery tasks, by commas, that queues may name as the procedure of their activation (default: none)
ACTIVATION_IMPORTS  modules, by commas, in which these are; then `up` runs a worker for them alone
EVENT_LOG           on: all events of the hosted instances to files (default: off)
EVENT_LOG_FOLDER    where to (default: eventlog/ in the home)
EVENT_LOG_SECONDS, EVENT_LOG_BYTES  when a file of the event log is closed (default: 60, 64 MB)
EVENT_LOG_DAYS      how long files of the event log are kept; 0: for ever (default: 30)
EVENT_MINUTES_DAYS, EVENT_HOURS_DAYS  how long counters per minute are kept, and their sums per hour (default: 7, 400)
EVENT_ROWS_DAYS     how long exceptional events are kept (default: 30)
KEYS_SECRET         encrypts the private keys in the database; the same on all machines of a deployment (default: made
                    at random and kept in the home)
OTEL_…              traces, by the variables of OpenTelemetry (brokerui/core/tracing.py); none without them
LOG_FORMAT          "json": each line of the logs is an object, for programs (default: line, for people)
TRAFFIC_FOLDER      files of traffic in it are taken in as they come, by the pipeline (default: none)
PIPELINE            off: `up` starts no worker for the pipeline where neither EVENT_LOG nor TRAFFIC_FOLDER is set, and
                    generated traffic cannot be tried (default: on where Spark is installed)
PIPELINE_MINUTES    minutes between two runs of the pipeline over new files of event log and traffic (default: 60)
PIPELINE_FOLDER     where its lake and its results are (default: pipeline/ in the home)
PIPELINE_MASTER     where its Spark runs, as spark://head:7077 (default: this machine)
PIPELINE_MEMORY     of its Spark, as 2g (default: 1g)
RESULTS_KEEP        loaded runs of each pipeline job to keep (default: 20)
RESULTS_MINUTES_DAYS  days before the end of an event log that are loaded by minute; all are loaded by hour (default: 7)
SPACE_LOW_BYTES, SPACE_LEAST_BYTES  free bytes of a volume below which it is said that little is left, and below which
                    the product is not well (default: 1 GB, 100 MB)
CHANGES_APPROVAL    whether a draft must be approved before it is applied: "none" (default), "any" (by anybody who may
                    edit), "other" (by somebody who wrote none of its edits)
BODY_MASKS, BODY_MASK_PATTERN  rules for what looks like a secret in a body, by commas (default: cards,emails,tokens;
                    empty: nothing is covered), and a regular expression of your own (default: none)
ESTATE_STALE_DAYS   an instance that was imported longer ago is told to be old (default: 30)
COLLECTIONS_KEEP    collections of each real server that are kept (default: 120)
SITE_URL            address of the site, as https://brokerui.example, for links in messages about alerts (default: none)
ALERT_HOSTS         hosts and networks, by commas, that webhooks and messengers may reach (default: none)
EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, DEFAULT_FROM_EMAIL
                    the mail server of alerts; without EMAIL_HOST there is no e-mail
ALERTS_KEEP_DAYS    days for which alerts that are over are kept (default: 90)
"""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _
from kombu.entity import Queue
from whitenoise.compress import Compressor

from brokerui.accounts.token_limits import TOKEN_DAYS
from brokerui.api.defaults import REST_FRAMEWORK, SPECTACULAR_SETTINGS
from brokerui.core import resources
from brokerui.core.catalogues import LOCALE, languages_ready
from brokerui.core.databases import database
from brokerui.core.home import home_folder, home_prepare, secret_key
from brokerui.core.redis_loading import redis_loaded
from brokerui.core.redis_url import broker_url, redis_url

__all__ = ["REST_FRAMEWORK", "SPECTACULAR_SETTINGS"]
env = environ.Env()
redis_loaded()
MEGABYTE = 1024 * 1024

TEMPLATE_FOLDER = resources.resource_folder(resources.TEMPLATES)
STATIC_FOLDER = resources.resource_folder(resources.STATIC)
HOME = home_folder()
home_prepare(HOME)

SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key(HOME)
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "brokerui.core",
    "brokerui.core.jobs",
    "brokerui.estate",
    "brokerui.estate.scenarios",
    "brokerui.estate.map_views",
    "brokerui.accounts",
    "brokerui.messaging",
    "brokerui.messaging.keys",
    "brokerui.messaging.leases",
    "brokerui.messaging.activation",
    "brokerui.eventlog",
    "brokerui.changes",
    "brokerui.demo",
    "brokerui.analysis.alerts",
    "brokerui.analysis.confirmation",
    "brokerui.analysis.conversations",
    "brokerui.analysis.drains",
    "brokerui.analysis.effect",
    "brokerui.analysis.lint",
    "brokerui.analysis.routing_tests",
    "brokerui.analysis.reachability",
    "brokerui.analysis.imports",
    "brokerui.analysis.servers",
    "brokerui.analysis.traffic",
    "brokerui.api",
    "brokerui.pages",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_celery_beat",
    "django_htmx",
    "drf_spectacular",
    "knox",
    "rest_framework",
]

MIDDLEWARE = [
    "brokerui.core.traced_work.TracingMiddleware",  # around all others; without OTEL variables it is not used
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "brokerui.core.middleware.isolation_headers",
    "brokerui.core.client_ip.client_ip_middleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "brokerui.core.middleware.address_limit",
    "brokerui.core.middleware.columns_joined",
    "brokerui.core.newer_database.NewerDatabaseMiddleware",
    "brokerui.pages.shell.unchanged.UnchangedMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    # After the CSRF cookie was read, before the CSRF check reads the body.
    "brokerui.core.middleware.body_limit",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "brokerui.accounts.zone.ZoneMiddleware",
    "brokerui.pages.shell.moment_addresses.MomentAddressMiddleware",
    "brokerui.accounts.access.AccessMiddleware",
    "axes.middleware.AxesMiddleware",
    "brokerui.core.middleware.NotReadyMiddleware",
]

ROOT_URLCONF = "brokerui.urls"
WSGI_APPLICATION = "brokerui.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [TEMPLATE_FOLDER],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "brokerui.pages.shell.context.page",
                "brokerui.pages.shell.estate_bar.bar",
                "brokerui.pages.demo.context.demo",
                "brokerui.pages.findings.context.errors",
            ],
        },
    }
]

DATABASES = {"default": database(env, HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Who may do what ---------------------------------------------------------------------------------------
READ_ONLY = env.bool("READ_ONLY", default=False)
# How many proxies of ours stand before the site: whose word about the address of a client is taken.
PROXIES = env.int("PROXIES", default=0)
LOGIN_URL = "account:login"
LOGIN_REDIRECT_URL = "start"
LOGOUT_REDIRECT_URL = "account:login"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "brokerui.accounts.backend.Backend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
SESSION_COOKIE_AGE = 43_200
# Wrong passwords lock the pair of name and address, so that nobody can lock a user out from another address.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = env.int("LOGIN_FAILURES", default=5)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_CLIENT_IP_CALLABLE = "brokerui.core.client_ip.client_ip_of"
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "brokerui.pages.account.views.locked_out"
KNOX_TOKEN_MODEL = "accounts.Token"  # noqa: S105 - a model
# Its own table would stand beside ours, unused, with a foreign key that nobody knows of.
MIGRATION_MODULES = {"knox": None}
REST_KNOX = {"TOKEN_TTL": timedelta(days=TOKEN_DAYS), "AUTO_REFRESH": False}

# -- Work beside the web -----------------------------------------------------------------------------------
REDIS_URL = redis_url(env.str("REDIS_URL", default=""), HOME)
CELERY_BROKER_URL = broker_url(REDIS_URL)
# The queues. A worker that is not told which serves all but the last: what goes there starts a Java and may take hours.
# Tasks go to `maintenance` unless a route here says otherwise.
CELERY_TASK_QUEUES = [Queue(name) for name in ("transmit", "receive", "maintenance", "activation", "pipeline")]
CELERY_TASK_DEFAULT_QUEUE = "maintenance"
CELERY_TASK_ROUTES = {
    "brokerui.messaging.tasks.transmit": {"queue": "transmit"},
    "brokerui.messaging.tasks.routes_changed": {"queue": "transmit"},
    "brokerui.messaging.tasks.receive": {"queue": "receive"},
    "brokerui.messaging.tasks.activate": {"queue": "receive"},
    "brokerui.core.jobs.tasks.jobs_run_pipeline": {"queue": "pipeline"},
    "brokerui.core.tasks.pulse_of_pipeline": {"queue": "pipeline"},
}
# Tasks that queues may name as procedures of their activation, and the modules in which they are.
ACTIVATION_TASKS = env.list("ACTIVATION_TASKS", default=[])
CELERY_IMPORTS = env.list("ACTIVATION_IMPORTS", default=[])
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "brokerui.core.beat:Schedule"
CELERY_TIMEZONE = "UTC"
# Seconds between two heartbeats of the workers; one that no worker takes in this time expires.
PULSE_SECONDS = 20
PIPELINE_MINUTES = env.int("PIPELINE_MINUTES", default=60)
CELERY_BEAT_SCHEDULE = {
    "pulse": {
        "task": "brokerui.core.tasks.pulse",
        "schedule": timedelta(seconds=PULSE_SECONDS),
        "options": {"expires": PULSE_SECONDS},
    },
    # A volume that fills up, foreign data in Redis: what the start has not said.
    "conditions": {
        "task": "brokerui.core.tasks.conditions_look",
        "schedule": timedelta(minutes=5),
        "options": {"expires": 300},
    },
    # Background jobs whose wake-up or worker was lost, and those that are to be tried again.
    "jobs": {
        "task": "brokerui.core.jobs.tasks.jobs_look",
        "schedule": timedelta(minutes=1),
        "options": {"expires": 60},
    },
    "expired": {"task": "brokerui.accounts.tasks.expired_clean", "schedule": timedelta(days=1)},
    # Requests a check of the live estate once an hour, since routes expire.
    "lint": {
        "task": "brokerui.lint.tasks.lint_refresh",
        "schedule": timedelta(minutes=1),
        "options": {"expires": 60},
    },
    # Rolls back applied drafts that nobody confirms in time.
    "confirmations": {
        "task": "brokerui.confirmation.tasks.confirmations_look",
        "schedule": timedelta(seconds=5),
        "options": {"expires": 5},
    },
    # Messages that flow after an act, until nothing of them waits.
    "drains": {
        "task": "brokerui.drains.tasks.drains_look",
        "schedule": timedelta(seconds=5),
        "options": {"expires": 5},
    },
    # Rules of alerts, behind the samples of the same minute.
    "alerts": {
        "task": "brokerui.alerts.tasks.alerts_look",
        "schedule": timedelta(minutes=1),
        "options": {"expires": 30},
    },
    # Retries, timers, ends of lifetimes; and frames to send or to receive while no worker could be woken.
    "transmit": {
        "task": "brokerui.messaging.tasks.transmit",
        "schedule": timedelta(seconds=1),
        "options": {"expires": 1},
    },
    "receive": {
        "task": "brokerui.messaging.tasks.receive",
        "schedule": timedelta(seconds=5),
        "options": {"expires": 5},
    },
    # Readers more where there is much, and where nobody was told of messages.
    "activate": {
        "task": "brokerui.messaging.tasks.activate",
        "schedule": timedelta(seconds=5),
        "options": {"expires": 5},
    },
    "routes": {
        "task": "brokerui.messaging.tasks.routes_changed",
        "schedule": timedelta(minutes=1),
        "options": {"expires": 60},
    },
    # What the hosted instances of the demo do; nothing where there is none.
    "demo": {
        "task": "brokerui.demo.tasks.demo_act",
        "schedule": timedelta(seconds=5),
        "options": {"expires": 5},
    },
    "events": {
        "task": "brokerui.eventlog.tasks.events_collect",
        "schedule": timedelta(seconds=5),
        "options": {"expires": 5},
    },
    "samples": {
        "task": "brokerui.eventlog.tasks.events_sample",
        "schedule": timedelta(minutes=1),
        "options": {"expires": 30},
    },
    "old events": {
        "task": "brokerui.eventlog.tasks.events_tidy",
        "schedule": timedelta(hours=1),
        "options": {"expires": 3600},
    },
    # So that leases which lapsed count as rollbacks; others receive their messages anyway.
    "leases": {
        "task": "brokerui.messaging.leases.tasks.leases_end",
        "schedule": timedelta(seconds=10),
        "options": {"expires": 10},
    },
    "leases_clean": {"task": "brokerui.messaging.leases.tasks.leases_clean", "schedule": timedelta(hours=1)},
    # Requests a round of the pipeline if anything is new.
    "rounds": {"task": "brokerui.traffic_results.tasks.rounds_ask", "schedule": timedelta(minutes=PIPELINE_MINUTES)},
    # Discards imports that nobody went on with.
    "imports": {
        "task": "brokerui.intake.tasks.imports_work",
        "schedule": timedelta(hours=1),
        "options": {"expires": 3600},
    },
}
# A wake-up that cannot be handed over at once is not waited for: the database has the due work.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 0.1, "socket_timeout": 30, "max_retries": 0}

# -- Sockets of the hosted instances ---------------------------------------------------------------------------
ENDPOINT_CERTIFICATE = env.str("ENDPOINT_CERTIFICATE", default="")
ENDPOINT_KEY = env.str("ENDPOINT_KEY", default="")
ENDPOINT_AUTHORITY = env.str("ENDPOINT_AUTHORITY", default="")
ENDPOINT_CONNECT = env.list("ENDPOINT_CONNECT", default=[])
ENDPOINT_ENCRYPTION = env.str("ENDPOINT_ENCRYPTION", default="required")
ENDPOINT_CONNECTIONS = env.int("ENDPOINT_CONNECTIONS", default=1_000)
ENDPOINT_CONNECTIONS_OF_PEER = env.int("ENDPOINT_CONNECTIONS_OF_PEER", default=100)
KEYS_SECRET = env.str("KEYS_SECRET", default="")
ENDPOINT_SHARDS = env.int("ENDPOINT_SHARDS", default=4)
# Together they leave room for wake-ups in the 64 MB of our own Valkey.
ENDPOINT_LIST_BYTES = env.int("ENDPOINT_LIST_BYTES", default=2 * MEGABYTE)
ENDPOINT_LIST_BYTES_OF_PEER = env.int("ENDPOINT_LIST_BYTES_OF_PEER", default=MEGABYTE)
ENDPOINT_LISTS_BYTES = env.int("ENDPOINT_LISTS_BYTES", default=24 * MEGABYTE)

# -- Events of the hosted instances ----------------------------------------------------------------------------
EVENT_LOG = env.bool("EVENT_LOG", default=False)
EVENT_LOG_FOLDER = Path(env.str("EVENT_LOG_FOLDER", default="") or HOME / "eventlog")
EVENT_LOG_SECONDS = env.int("EVENT_LOG_SECONDS", default=60)
EVENT_LOG_BYTES = env.int("EVENT_LOG_BYTES", default=64 * MEGABYTE)
EVENT_LOG_DAYS = env.int("EVENT_LOG_DAYS", default=30)
EVENT_MINUTES_DAYS = env.int("EVENT_MINUTES_DAYS", default=7)
EVENT_HOURS_DAYS = env.int("EVENT_HOURS_DAYS", default=400)
EVENT_ROWS_DAYS = env.int("EVENT_ROWS_DAYS", default=30)

# -- The pipeline --------------------------------------------------------------------------------------------
TRAFFIC_FOLDER = env.str("TRAFFIC_FOLDER", default="")
PIPELINE_FOLDER = Path(env.str("PIPELINE_FOLDER", default="") or HOME / "pipeline")
PIPELINE_MASTER = env.str("PIPELINE_MASTER", default="")
PIPELINE_MEMORY = env.str("PIPELINE_MEMORY", default="1g")

# -- Files -------------------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [STATIC_FOLDER]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "brokerui.drawing.charts.plotly_file.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "brokerui.core.files.CollectedFiles"},
}
# Source maps are the larger part of all bytes, and only a browser whose user debugs asks for them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
# `runserver` and the tests serve the files where they stand, without collecting them first.
WHITENOISE_USE_FINDERS = DEBUG

# -- Language and time -------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
# A language is offered once its catalogue is there: a page must not say that it is French and be English.
LANGUAGES = [
    (code, name)
    for code, name in [
        ("en", _("English")),
        ("es", _("Spanish")),
        ("fr", _("French")),
        ("pt-br", _("Brazilian Portuguese")),
        ("zh-hans", _("Simplified Chinese")),
    ]
    if code == LANGUAGE_CODE or code in languages_ready()
]
LOCALE_PATHS = [LOCALE]
USE_TZ = True
TIME_ZONE = "UTC"

# -- What a page may do ------------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"

HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Whether the whole domain is https only is for its owner to say, not for one site of it.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

CSRF_COOKIE_SECURE = SESSION_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = SESSION_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = SESSION_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "brokerui.core.errors.csrf_failure"
LANGUAGE_COOKIE_AGE = 31_536_000
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"

# -- Limits ------------------------------------------------------------------------------------------------
SCENARIO_MAX_BYTES = env.int("SCENARIO_MAX_BYTES", default=64 * MEGABYTE)
SCENARIO_KEEP = env.int("SCENARIO_KEEP", default=50)
EXAMPLES = resources.resource_folder(resources.EXAMPLES)
DEMO = env.bool("DEMO", default=True)
# The document, and room for the rest of the form around it.
BODY_MAX_BYTES = SCENARIO_MAX_BYTES + MEGABYTE
# Files of one import; all other forms take one file, and say so.
IMPORT_MAX_FILES = DATA_UPLOAD_MAX_NUMBER_FILES = 50
RESULTS_KEEP = env.int("RESULTS_KEEP", default=20)
RESULTS_MINUTES_DAYS = env.int("RESULTS_MINUTES_DAYS", default=7)
SPACE_LOW_BYTES = env.int("SPACE_LOW_BYTES", default=1024 * MEGABYTE)
SPACE_LEAST_BYTES = env.int("SPACE_LEAST_BYTES", default=100 * MEGABYTE)
ESTATE_STALE_DAYS = env.int("ESTATE_STALE_DAYS", default=30)
COLLECTIONS_KEEP = env.int("COLLECTIONS_KEEP", default=120)
SITE_URL = env.str("SITE_URL", default="").rstrip("/")
ALERT_HOSTS = env.list("ALERT_HOSTS", default=[])
EMAIL_HOST = env.str("EMAIL_HOST", default="")
EMAIL_PORT = env.int("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", default="")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="brokerui@localhost")
ALERTS_KEEP_DAYS = env.int("ALERTS_KEEP_DAYS", default=90)
BODY_MASKS = env.list("BODY_MASKS", default=["cards", "emails", "tokens"])
BODY_MASK_PATTERN = env.str("BODY_MASK_PATTERN", default="")
CHANGES_APPROVAL = env.str("CHANGES_APPROVAL", default="none")

LOG_FORMAT = env.str("LOG_FORMAT", default="line")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "brokerui.core.logs.LineFormatter"},
        "json": {"()": "brokerui.core.logs.JsonFormatter"},
    },
    "filters": {
        "later": {"()": "django.utils.log.CallbackFilter", "callback": "ext://brokerui.core.deferred.is_not_deferral"},
        "passing": {"()": "brokerui.core.passing_errors.PassingErrorFilter"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json" if LOG_FORMAT == "json" else "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    # A mistyped address is the page's to explain; the log is for what we have to mend.
    "loggers": {
        "django.request": {"level": "ERROR", "filters": ["later"]},
        # brokerui.core.refusals writes one line for each refused request, in place of what these would write.
        "django.security": {"level": "CRITICAL"},
        "django.security.SuspiciousSession": {"level": "WARNING"},
        "axes": {"level": "ERROR"},
        # Tasks, jobs and the schedule that meet a locked database are done again: a line says so.
        "celery.app.trace": {"filters": ["passing"]},
        "brokerui.core.jobs.running": {"filters": ["passing"]},
        "celery.beat": {"filters": ["passing"]},
        "django_celery_beat.schedulers": {"filters": ["passing"]},
        # It warns of each request that waits for a thread.
        "waitress.queue": {"level": "ERROR"},
    },
}
