/*  What Service Broker is on this server: one JSON document, for `brokerui import-catalog NAME=FILE`.

    Runs on SQL Server 2012 to 2025, in sqlcmd, SSMS, Azure Data Studio or Invoke-Sqlcmd.
    Needs no more than VIEW ANY DEFINITION and VIEW SERVER STATE. A database that the login cannot enter is
    reported, not read; CONNECT ANY DATABASE (2014 and later) lets it into all of them.

    It reads and changes nothing: what it gathers is kept in table variables of its own. It takes no shared locks,
    waits for nobody longer than five seconds, gives way in every deadlock, and reads a bounded number of rows;
    messages and conversations are summed, never listed, and no message body is looked at. A database in which tens of
    millions of conversations were left is read through once: see @most_ends.

    The document has no white space and nothing but ASCII in it, and leaves in short rows: each carries the mark of
    this run, its number, how many there are, a piece of the document, and a check of all that. However it is saved,
    wrapped or framed, the reader puts it together again exactly, or says what is missing.                          */

-- The methods of xml ask for these, and sqlcmd starts without the first.
SET QUOTED_IDENTIFIER, ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
GO
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET IMPLICIT_TRANSACTIONS OFF;
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
SET LOCK_TIMEOUT 5000;
SET DEADLOCK_PRIORITY LOW;

DECLARE @most_rows int = 100000;   -- of one view in one database; what is beyond is counted under "cut"
DECLARE @most_sums int = 1000;     -- groups of messages in one database
DECLARE @most_groups int = 4000;   -- groups of conversations in one database
DECLARE @most_read int = 200000;   -- messages that are read in one database to make these groups
DECLARE @most_ends int = 100000000; -- conversations that are counted in one pass; less where the server is busy

-- 1. What is read: a part of the document is the rows of a view, in the order of a key.
DECLARE @part TABLE (
    place tinyint NOT NULL PRIMARY KEY,
    name varchar(40) COLLATE Latin1_General_BIN2 NOT NULL,
    in_each_database bit NOT NULL,
    most int NOT NULL,
    sort_key nvarchar(200) COLLATE Latin1_General_BIN2 NOT NULL,
    source nvarchar(2000) COLLATE Latin1_General_BIN2 NOT NULL
);
INSERT @part (place, name, in_each_database, most, sort_key, source) VALUES
    (1, 'server', 0, 1, N'database_id', N'(SELECT database_id FROM sys.databases WHERE database_id = 1)'),
    (2, 'databases', 0, @most_rows, N'database_id', N'
        (SELECT d.database_id, d.name, d.service_broker_guid, d.is_broker_enabled, d.is_honor_broker_priority_on,
                d.state_desc, m.mirroring_role_desc, m.mirroring_state_desc, m.mirroring_partner_name
         FROM sys.databases AS d
         LEFT JOIN sys.database_mirroring AS m ON m.database_id = d.database_id
         WHERE d.source_database_id IS NULL)'),
    (3, 'endpoints', 0, @most_rows, N'endpoint_id', N'
        (SELECT e.endpoint_id, e.name, e.state_desc, e.is_message_forwarding_enabled, e.message_forwarding_size,
                e.connection_auth, e.certificate_id, e.encryption_algorithm, t.port, t.ip_address
         FROM sys.service_broker_endpoints AS e
         LEFT JOIN sys.tcp_endpoints AS t ON t.endpoint_id = e.endpoint_id)'),
    -- Which databases are replicas of availability groups; read only where the server has such groups.
    (4, 'availability_replicas', 0, @most_rows, N'database_id, group_id, listener_id', N'
        (SELECT s.database_id, s.group_id, g.name AS group_name, a.role_desc, l.listener_id, l.dns_name, l.port
         FROM sys.dm_hadr_database_replica_states AS s
         JOIN sys.dm_hadr_availability_replica_states AS a
            ON a.replica_id = s.replica_id AND a.group_id = s.group_id
         LEFT JOIN sys.availability_groups AS g ON g.group_id = s.group_id
         LEFT JOIN sys.availability_group_listeners AS l ON l.group_id = s.group_id
         WHERE s.is_local = 1)'),
    (5, 'routes', 1, @most_rows, N'route_id', N'sys.routes'),
    (6, 'services', 1, @most_rows, N'service_id', N'sys.services'),
    (7, 'service_contract_usages', 1, @most_rows, N'service_id, service_contract_id', N'sys.service_contract_usages'),
    (8, 'service_queues', 1, @most_rows, N'object_id', N'sys.service_queues'),
    (9, 'service_contracts', 1, @most_rows, N'service_contract_id', N'sys.service_contracts'),
    (10, 'service_contract_message_usages', 1, @most_rows, N'service_contract_id, message_type_id',
        N'sys.service_contract_message_usages'),
    (11, 'service_message_types', 1, @most_rows, N'message_type_id', N'sys.service_message_types'),
    (12, 'conversation_priorities', 1, @most_rows, N'priority_id', N'sys.conversation_priorities'),
    (13, 'remote_service_bindings', 1, @most_rows, N'remote_service_binding_id', N'sys.remote_service_bindings'),
    (14, 'transmission_queue', 1, @most_sums, N'messages DESC', N'
        (SELECT q.from_service_name, q.to_service_name, q.to_broker_instance, q.status, COUNT_BIG(*) AS messages,
                MIN(q.enqueue_time) AS oldest
         FROM (SELECT TOP (@most_read) from_service_name, to_service_name, to_broker_instance,
                      LEFT(transmission_status, 1000) AS status, enqueue_time
               FROM sys.transmission_queue) AS q
         GROUP BY q.from_service_name, q.to_service_name, q.to_broker_instance, q.status)'),
    -- Ages by the lifetime: at its default, 2147483647 s, it tells when a conversation began; one of its own, which has
    -- ended, tells since when; one that has not ended tells nothing.
    (15, 'conversation_endpoints', 1, @most_groups, N'endpoints DESC', N'
        (SELECT s.name AS service_name, c.far_service, c.is_initiator, c.state, c.state_desc, c.age_days,
                COUNT_BIG(*) AS endpoints
         FROM (SELECT e.service_id, e.far_service, e.is_initiator, e.state, e.state_desc,
                      CASE WHEN e.hours < 0 THEN NULL WHEN e.hours < 24 THEN 0 WHEN e.hours < 168 THEN 1
                           WHEN e.hours < 720 THEN 7 WHEN e.hours < 4320 THEN 30 ELSE 180 END AS age_days
               FROM (SELECT TOP (@most_ends) service_id, far_service, is_initiator, state, state_desc,
                            DATEDIFF(hour, CASE WHEN lifetime > DATEADD(year, 20, GETUTCDATE())
                                THEN DATEADD(second, -2147483647, lifetime) ELSE lifetime END, GETUTCDATE()) AS hours
                     FROM sys.conversation_endpoints) AS e) AS c
         LEFT JOIN sys.services AS s ON s.service_id = c.service_id
         GROUP BY s.name, c.far_service, c.is_initiator, c.state, c.state_desc, c.age_days)'),
    -- How many rows there are in all, from the allocation of the tables behind these two views: nothing is scanned.
    (16, 'totals', 1, @most_sums, N'name', N'
        (SELECT o.name, SUM(p.rows) AS table_rows
         FROM sys.objects AS o JOIN sys.partitions AS p ON p.object_id = o.object_id
         WHERE o.name IN (N''sysxmitqueue'', N''sysdesend'') AND p.index_id IN (0, 1)
         GROUP BY o.name)');

-- 2. What is taken of each row r: s a string, n a number. The keys are the names of the views' columns.
DECLARE @column TABLE (
    part varchar(40) COLLATE Latin1_General_BIN2 NOT NULL,
    place tinyint NOT NULL,
    kind char(1) COLLATE Latin1_General_BIN2 NOT NULL,
    name varchar(40) COLLATE Latin1_General_BIN2 NOT NULL,
    expression nvarchar(400) COLLATE Latin1_General_BIN2 NOT NULL,
    PRIMARY KEY (part, place)
);
INSERT @column (part, place, kind, name, expression) VALUES
    ('server', 1, 's', 'server_name', N'CONVERT(nvarchar(128), SERVERPROPERTY(N''ServerName''))'),
    ('server', 2, 's', 'machine_name', N'CONVERT(nvarchar(128), SERVERPROPERTY(N''MachineName''))'),
    ('server', 3, 's', 'product_version', N'CONVERT(nvarchar(128), SERVERPROPERTY(N''ProductVersion''))'),
    ('server', 4, 's', 'edition', N'CONVERT(nvarchar(128), SERVERPROPERTY(N''Edition''))'),
    ('server', 5, 'n', 'has_view_any_definition', N'HAS_PERMS_BY_NAME(NULL, NULL, N''VIEW ANY DEFINITION'')'),

    ('databases', 1, 'n', 'database_id', N'r.database_id'),
    ('databases', 2, 's', 'name', N'r.name'),
    ('databases', 3, 's', 'service_broker_guid', N'r.service_broker_guid'),
    ('databases', 4, 'n', 'is_broker_enabled', N'r.is_broker_enabled'),
    ('databases', 5, 'n', 'is_honor_broker_priority_on', N'r.is_honor_broker_priority_on'),
    ('databases', 6, 's', 'state_desc', N'r.state_desc'),
    ('databases', 7, 'n', 'is_accessible', N'ISNULL(HAS_DBACCESS(r.name), 0)'),
    ('databases', 8, 's', 'mirroring_role_desc', N'r.mirroring_role_desc'),
    ('databases', 9, 's', 'mirroring_state_desc', N'r.mirroring_state_desc'),
    ('databases', 10, 's', 'mirroring_partner_name', N'r.mirroring_partner_name'),

    ('endpoints', 1, 's', 'name', N'r.name'),
    ('endpoints', 2, 's', 'state_desc', N'r.state_desc'),
    ('endpoints', 3, 'n', 'port', N'r.port'),
    ('endpoints', 4, 's', 'ip_address', N'r.ip_address'),
    ('endpoints', 5, 'n', 'is_message_forwarding_enabled', N'r.is_message_forwarding_enabled'),
    ('endpoints', 6, 'n', 'message_forwarding_size', N'r.message_forwarding_size'),
    ('endpoints', 7, 'n', 'connection_auth', N'r.connection_auth'),
    ('endpoints', 8, 's', 'certificate_name',
        N'(SELECT c.name FROM master.sys.certificates AS c WHERE c.certificate_id = r.certificate_id)'),
    ('endpoints', 9, 'n', 'encryption_algorithm', N'r.encryption_algorithm'),

    ('availability_replicas', 1, 'n', 'database_id', N'r.database_id'),
    ('availability_replicas', 2, 's', 'group_name', N'r.group_name'),
    ('availability_replicas', 3, 's', 'role_desc', N'r.role_desc'),
    ('availability_replicas', 4, 's', 'dns_name', N'r.dns_name'),
    ('availability_replicas', 5, 'n', 'port', N'r.port'),

    ('routes', 1, 'n', 'route_id', N'r.route_id'),
    ('routes', 2, 's', 'name', N'r.name'),
    ('routes', 3, 's', 'remote_service_name', N'r.remote_service_name'),
    ('routes', 4, 's', 'broker_instance', N'r.broker_instance'),
    ('routes', 5, 's', 'lifetime', N'CONVERT(nvarchar(30), r.lifetime, 126)'),
    ('routes', 6, 's', 'address', N'r.address'),
    ('routes', 7, 's', 'mirror_address', N'r.mirror_address'),

    ('services', 1, 'n', 'service_id', N'r.service_id'),
    ('services', 2, 's', 'name', N'r.name'),
    ('services', 3, 's', 'schema_name', N'(SELECT SCHEMA_NAME(q.schema_id) FROM sys.service_queues AS q
                                           WHERE q.object_id = r.service_queue_id)'),
    ('services', 4, 's', 'queue_name', N'(SELECT q.name FROM sys.service_queues AS q
                                          WHERE q.object_id = r.service_queue_id)'),

    ('service_contract_usages', 1, 's', 'service_name',
        N'(SELECT s.name FROM sys.services AS s WHERE s.service_id = r.service_id)'),
    ('service_contract_usages', 2, 's', 'service_contract_name',
        N'(SELECT c.name FROM sys.service_contracts AS c WHERE c.service_contract_id = r.service_contract_id)'),

    ('service_queues', 1, 's', 'schema_name', N'SCHEMA_NAME(r.schema_id)'),
    ('service_queues', 2, 's', 'name', N'r.name'),
    ('service_queues', 3, 'n', 'is_ms_shipped', N'r.is_ms_shipped'),
    ('service_queues', 4, 'n', 'is_receive_enabled', N'r.is_receive_enabled'),
    ('service_queues', 5, 'n', 'is_enqueue_enabled', N'r.is_enqueue_enabled'),
    ('service_queues', 6, 'n', 'is_retention_enabled', N'r.is_retention_enabled'),
    ('service_queues', 7, 'n', 'is_poison_message_handling_enabled', N'r.is_poison_message_handling_enabled'),
    ('service_queues', 8, 'n', 'is_activation_enabled', N'r.is_activation_enabled'),
    ('service_queues', 9, 's', 'activation_procedure', N'r.activation_procedure'),
    ('service_queues', 10, 'n', 'max_readers', N'r.max_readers'),

    ('service_contracts', 1, 'n', 'service_contract_id', N'r.service_contract_id'),
    ('service_contracts', 2, 's', 'name', N'r.name'),

    ('service_contract_message_usages', 1, 's', 'service_contract_name',
        N'(SELECT c.name FROM sys.service_contracts AS c WHERE c.service_contract_id = r.service_contract_id)'),
    ('service_contract_message_usages', 2, 's', 'message_type_name',
        N'(SELECT m.name FROM sys.service_message_types AS m WHERE m.message_type_id = r.message_type_id)'),
    ('service_contract_message_usages', 3, 'n', 'is_sent_by_initiator', N'r.is_sent_by_initiator'),
    ('service_contract_message_usages', 4, 'n', 'is_sent_by_target', N'r.is_sent_by_target'),

    ('service_message_types', 1, 'n', 'message_type_id', N'r.message_type_id'),
    ('service_message_types', 2, 's', 'name', N'r.name'),
    ('service_message_types', 3, 's', 'validation', N'RTRIM(r.validation)'),
    ('service_message_types', 4, 's', 'xml_collection_name',
        N'(SELECT SCHEMA_NAME(x.schema_id) COLLATE Latin1_General_BIN2 + N''.'' + x.name COLLATE Latin1_General_BIN2
           FROM sys.xml_schema_collections AS x WHERE x.xml_collection_id = r.xml_collection_id)'),

    ('conversation_priorities', 1, 's', 'name', N'r.name'),
    ('conversation_priorities', 2, 's', 'service_contract_name',
        N'(SELECT c.name FROM sys.service_contracts AS c WHERE c.service_contract_id = r.service_contract_id)'),
    ('conversation_priorities', 3, 's', 'local_service_name',
        N'(SELECT s.name FROM sys.services AS s WHERE s.service_id = r.local_service_id)'),
    ('conversation_priorities', 4, 's', 'remote_service_name', N'r.remote_service_name'),
    ('conversation_priorities', 5, 'n', 'priority', N'r.priority'),

    ('remote_service_bindings', 1, 's', 'name', N'r.name'),
    ('remote_service_bindings', 2, 's', 'remote_service_name', N'r.remote_service_name'),
    ('remote_service_bindings', 3, 's', 'user_name', N'USER_NAME(r.remote_principal_id)'),
    ('remote_service_bindings', 4, 'n', 'is_anonymous_on', N'r.is_anonymous_on'),

    ('transmission_queue', 1, 's', 'from_service_name', N'r.from_service_name'),
    ('transmission_queue', 2, 's', 'to_service_name', N'r.to_service_name'),
    ('transmission_queue', 3, 's', 'to_broker_instance', N'r.to_broker_instance'),
    ('transmission_queue', 4, 's', 'transmission_status', N'r.status'),
    ('transmission_queue', 5, 'n', 'messages', N'r.messages'),
    ('transmission_queue', 6, 's', 'oldest', N'CONVERT(nvarchar(30), r.oldest, 126)'),

    ('conversation_endpoints', 1, 's', 'service_name', N'r.service_name'),
    ('conversation_endpoints', 2, 's', 'far_service', N'r.far_service'),
    ('conversation_endpoints', 3, 'n', 'is_initiator', N'r.is_initiator'),
    ('conversation_endpoints', 4, 's', 'state', N'RTRIM(r.state)'),
    ('conversation_endpoints', 5, 's', 'state_desc', N'r.state_desc'),
    ('conversation_endpoints', 6, 'n', 'age_days', N'r.age_days'),
    ('conversation_endpoints', 7, 'n', 'endpoints', N'r.endpoints'),

    ('totals', 1, 's', 'name', N'r.name'),
    ('totals', 2, 'n', 'table_rows', N'r.table_rows');

-- 3. What is found: a cell for each value, in the order of the document.
DECLARE @cell TABLE (
    part varchar(40) COLLATE Latin1_General_BIN2 NOT NULL,
    database_id int NOT NULL,
    ordinal bigint NOT NULL,
    place tinyint NOT NULL,
    kind char(1) COLLATE Latin1_General_BIN2 NOT NULL,
    name varchar(40) COLLATE Latin1_General_BIN2 NOT NULL,
    content nvarchar(max) COLLATE Latin1_General_BIN2 NULL,
    PRIMARY KEY (part, database_id, ordinal, place)
);
DECLARE @database_id int, @database nvarchar(128), @run nvarchar(400);
DECLARE @name varchar(40), @in_each bit, @most int, @sort_key nvarchar(200), @source nvarchar(2000);
DECLARE @values nvarchar(max), @text nvarchar(max), @cells bigint, @width int, @there bigint, @notes int = 0;

-- Each part of each database by itself: what fails is reported under "errors", and the others go on.
DECLARE each_part CURSOR LOCAL FORWARD_ONLY STATIC READ_ONLY FOR
    SELECT d.database_id, d.name, p.name, p.in_each_database, p.most, p.sort_key, p.source
    FROM @part AS p
    JOIN sys.databases AS d
        ON (p.in_each_database = 0 AND d.database_id = 1)
        OR (p.in_each_database = 1 AND d.state = 0 AND d.source_database_id IS NULL AND HAS_DBACCESS(d.name) = 1)
    WHERE p.name <> 'availability_replicas'
        OR (CONVERT(int, SERVERPROPERTY(N'IsHadrEnabled')) = 1
            AND OBJECT_ID(N'sys.dm_hadr_database_replica_states') IS NOT NULL
            AND OBJECT_ID(N'sys.dm_hadr_availability_replica_states') IS NOT NULL
            AND OBJECT_ID(N'sys.availability_groups') IS NOT NULL
            AND OBJECT_ID(N'sys.availability_group_listeners') IS NOT NULL)
    ORDER BY p.in_each_database, d.database_id, p.place;
OPEN each_part;
FETCH NEXT FROM each_part INTO @database_id, @database, @name, @in_each, @most, @sort_key, @source;
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @run = QUOTENAME(@database) + N'.sys.sp_executesql';
    SET @values = STUFF((
        SELECT N', (' + CONVERT(nvarchar(10), c.place) + N', N''' + c.kind + N''', N''' + c.name
            + N''', CONVERT(nvarchar(max), ' + c.expression + N') COLLATE Latin1_General_BIN2)'
        FROM @column AS c
        WHERE c.part = @name
        ORDER BY c.place
        FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)'), 1, 2, N'');
    IF @in_each = 1
        SET @values = @values + N', (0, N''n'', N''database_id'', CONVERT(nvarchar(max), @database_id))';
    SET @text = N'SELECT @name, @database_id, r.ordinal, v.place, v.kind, v.name, v.content
        FROM (SELECT TOP (@most) ROW_NUMBER() OVER (ORDER BY ' + @sort_key + N') AS ordinal, * FROM ' + @source
        + N' AS x ORDER BY ' + @sort_key + N') AS r
        CROSS APPLY (VALUES ' + @values + N') AS v (place, kind, name, content)';
    BEGIN TRY
        INSERT @cell (part, database_id, ordinal, place, kind, name, content)
        EXECUTE @run @text, N'@name varchar(40), @database_id int, @most int, @most_read int, @most_ends int',
            @name, @database_id, @most, @most_read, @most_ends;
        SET @cells = @@ROWCOUNT;
        SET @width = (SELECT COUNT(*) FROM @column AS c WHERE c.part = @name) + @in_each;
        IF @cells >= CONVERT(bigint, @most) * @width AND @name <> 'server'
        BEGIN
            SET @text = N'SELECT @there = COUNT_BIG(*) FROM ' + @source + N' AS x';
            EXECUTE @run @text, N'@most_read int, @most_ends int, @there bigint OUTPUT',
                @most_read, @most_ends, @there OUTPUT;
            SET @notes = @notes + 1;
            IF @there > @most
                INSERT @cell (part, database_id, ordinal, place, kind, name, content) VALUES
                    ('cut', @database_id, @notes, 0, 'n', 'database_id', CONVERT(nvarchar(20), @database_id)),
                    ('cut', @database_id, @notes, 1, 's', 'part', @name),
                    ('cut', @database_id, @notes, 2, 'n', 'cut_rows', CONVERT(nvarchar(20), @there - @most));
        END;
    END TRY
    BEGIN CATCH
        SET @notes = @notes + 1;
        INSERT @cell (part, database_id, ordinal, place, kind, name, content) VALUES
            ('errors', @database_id, @notes, 0, 'n', 'database_id', CONVERT(nvarchar(20), @database_id)),
            ('errors', @database_id, @notes, 1, 's', 'part', @name),
            ('errors', @database_id, @notes, 2, 'n', 'number', CONVERT(nvarchar(20), ERROR_NUMBER())),
            ('errors', @database_id, @notes, 3, 's', 'message', LEFT(ERROR_MESSAGE(), 1000));
    END CATCH;
    FETCH NEXT FROM each_part INTO @database_id, @database, @name, @in_each, @most, @sort_key, @source;
END;
CLOSE each_part;
DEALLOCATE each_part;

-- 4. Strings as JSON has them: all but letters, digits and # $ % ( ) * + , - . / : ; = ? @ _ becomes \u and four
--    digits. So neither JSON nor XML nor CSV nor a code page has anything to say to what is left. A letter outside
--    the plane of 16 bits is two halves under this collation, and each half is written: JSON wants just that.
DECLARE @number TABLE (n int NOT NULL PRIMARY KEY);
INSERT @number (n)
SELECT TOP (4000) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) FROM sys.all_columns AS a CROSS JOIN sys.all_columns AS b;

UPDATE @cell
SET content = ISNULL((
    SELECT CASE WHEN x.letter LIKE N'[#$%(-;=?-Z_a-z]' THEN x.letter
                ELSE N'\u' + CONVERT(char(4), CONVERT(binary(2), UNICODE(x.letter)), 2) END
    FROM @number AS i
    CROSS APPLY (SELECT SUBSTRING(content, i.n, 1) AS letter) AS x
    WHERE i.n <= DATALENGTH(content) / 2
    ORDER BY i.n
    FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)'), N'')
WHERE kind = 's' AND content LIKE N'%[^#$%(-;=?-Z_a-z]%';

-- 5. The document. A row begins with its first cell; place 0 or 1, whichever its part has.
DECLARE @json nvarchar(max) = N'{"format":"brokerui.catalog/1","collected_at":"'
    + CONVERT(nvarchar(30), GETUTCDATE(), 126) + N'Z"';
DECLARE @rows nvarchar(max), @first_place int;
DECLARE each_name CURSOR LOCAL FORWARD_ONLY STATIC READ_ONLY FOR
    SELECT n.name, n.first_place
    FROM (SELECT p.name, 1 - CONVERT(int, p.in_each_database) AS first_place, p.place FROM @part AS p
          UNION ALL SELECT 'cut', 0, 254 UNION ALL SELECT 'errors', 0, 255) AS n
    ORDER BY n.place;
OPEN each_name;
FETCH NEXT FROM each_name INTO @name, @first_place;
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @rows = (
        SELECT CASE WHEN c.place = @first_place THEN N'},{' ELSE N',' END + N'"' + c.name + N'":'
            + CASE WHEN c.content IS NULL THEN N'null' WHEN c.kind = 's' THEN N'"' + c.content + N'"' ELSE c.content END
        FROM @cell AS c
        WHERE c.part = @name
        ORDER BY c.database_id, c.ordinal, c.place
        FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)');
    SET @json = @json + N',"' + @name + N'":[' + ISNULL(STUFF(@rows, 1, 2, N'') + N'}', N'') + N']';
    FETCH NEXT FROM each_name INTO @name, @first_place;
END;
CLOSE each_name;
DEALLOCATE each_name;
SET @json = @json + N'}';

-- 6. The rows: <mark|number/of|piece|check>, the check being the first six digits of the SHA-256 of what stands
--    before it, in UTF-16. No row is longer than 78 characters, so that no tool's default cuts or wraps it.
DECLARE @piece int = 48;
DECLARE @mark nvarchar(4) = LEFT(CONVERT(nvarchar(36), NEWID()), 4);
DECLARE @of bigint = (DATALENGTH(@json) / 2 + @piece - 1) / @piece;
SELECT CONVERT(varchar(78), N'<' + l.line + N'|'
    + LEFT(CONVERT(varchar(64), HASHBYTES('SHA2_256', l.line), 2), 6) + N'>') AS brokerui_catalog
FROM (SELECT TOP (@of) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n
      FROM sys.all_columns AS a CROSS JOIN sys.all_columns AS b) AS i
CROSS APPLY (SELECT CONVERT(nvarchar(100), @mark + N'|' + CONVERT(nvarchar(10), i.n) + N'/'
    + CONVERT(nvarchar(10), @of) + N'|' + SUBSTRING(@json, (i.n - 1) * @piece + 1, @piece)) AS line) AS l
ORDER BY i.n;

SET LOCK_TIMEOUT -1;
SET DEADLOCK_PRIORITY NORMAL;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
GO
