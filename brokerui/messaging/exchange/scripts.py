"""Scripts that run inside Redis: each is atomic."""

from __future__ import annotations

from hashlib import sha1

from brokerui.core.redis_connection import Script


def _script(text: str) -> Script:
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


PUT = _script("""
-- Bundles of one peer to lists, each unless its list, or all of them, would be too large then, or unless the peer would
-- have too much of its list: more than it may, or more than is left free for others. That does not hold for its first.
-- KEYS: the bytes of each list, the list of those that begin to hold something, the state of the worker that takes from
-- the lists, its bell, then for each bundle its list and the bytes of each peer in it.
-- ARGV: bytes that a list may have, all together, and one peer in a list; whether to record lists that begin to hold
-- something; the peer, or nothing if there is no limit for it; for how many milliseconds the bell rings, 0 if it does
-- not; then the bundles, each behind the peer and a zero byte, as the list holds it: Lua would copy it to put it so.
-- Gives for each: 0 no room, 1 put, 2 put into a list that was empty, and a worker at work was not told.
local most, most_of_all, most_of_peer = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tell, peer, rings_ms = ARGV[4] == '1', ARGV[5], tonumber(ARGV[6])
-- Foreign data is found before anything is written.
redis.call('LLEN', KEYS[2])
local is_working = rings_ms > 0 and redis.call('GET', KEYS[3]) == 'working' and redis.call('PTTL', KEYS[3]) > 0
local rung = rings_ms > 0 and redis.call('LLEN', KEYS[4])
local function count(key, field)
  local text = redis.call('HGET', key, field) or '0'
  if #text > 18 or not text:find('^%-?%d+$') then error('not a number of bytes') end
  return tonumber(text)
end
local all = count(KEYS[1], 'all')
local answers, put = {}, 0
local coming = 0
for i = 7, #ARGV do coming = coming + #ARGV[i] - #peer - 1 end
if all + coming > most_of_all then
  -- Count again before anything is refused: what one list holds may have been lost or changed without the sum.
  all = 0
  local known = redis.call('HGETALL', KEYS[1])
  for i = 1, #known, 2 do if known[i] ~= 'all' then all = all + tonumber(known[i + 1]) end end
  redis.call('HSET', KEYS[1], 'all', all)
end
local has_begun = false
for i = 1, #ARGV - 6 do
  local value, list, peers = ARGV[i + 6], KEYS[2 * i + 3], KEYS[2 * i + 4]
  local size = #value - #peer - 1
  local held = count(KEYS[1], list)
  local own = peer ~= '' and count(peers, peer) or 0
  if (held > 0 and held + size > most) or all + put + size > most_of_all
    or (own > 0 and own + size > math.min(most_of_peer, most - held)) then
    answers[i] = 0
  else
    redis.call('RPUSH', list, value)
    redis.call('HINCRBY', KEYS[1], list, size)
    if peer ~= '' then redis.call('HINCRBY', peers, peer, size) end
    put = put + size
    if held == 0 and tell then redis.call('RPUSH', KEYS[2], list) end
    has_begun = has_begun or held == 0
    answers[i] = held == 0 and not is_working and 2 or 1
  end
end
if put > 0 then redis.call('HINCRBY', KEYS[1], 'all', put) end
if has_begun and is_working then
  if rung == 0 then redis.call('RPUSH', KEYS[4], 1) end
  redis.call('PEXPIRE', KEYS[4], rings_ms)
end
return answers
""")

HELD = _script("""
-- The bytes of lists by their names.
-- KEYS: the bytes of each list. ARGV: what the names begin with, and what they end with.
-- Gives names and numbers in turns, the names without both.
local found = {}
local known = redis.call('HGETALL', KEYS[1])
for i = 1, #known, 2 do
  local name = known[i]
  if #name > #ARGV[1] + #ARGV[2] and name:sub(1, #ARGV[1]) == ARGV[1] and name:sub(-#ARGV[2]) == ARGV[2] then
    found[#found + 1] = name:sub(#ARGV[1] + 1, -#ARGV[2] - 1)
    found[#found + 1] = known[i + 1]
  end
end
return found
""")

_TAKEN = """
local function bytes_of(list) return tonumber(redis.call('HGET', KEYS[1], list) or '0') + 0 end
-- Foreign data is found before anything is taken.
local function look(list, peers) redis.call('LLEN', list); redis.call('HLEN', peers); bytes_of(list) end
-- Bundles from the head of a list, up to a number of bytes, how many bytes they have, and whether they are all. Each
-- is given as the list holds it, behind its peer and a zero byte.
local function take(list, peers, least)
  local held, values, size = bytes_of(list), {}, 0
  while size < least do
    local value = redis.call('LPOP', list)
    if not value then break end
    local to = value:find('\\0', 1, true) or 0
    values[#values + 1] = value
    size = size + #value - to
    if to > 1 then redis.call('HINCRBY', peers, value:sub(1, to - 1), to - #value) end
  end
  -- An empty list holds nothing, whatever was counted.
  local is_empty = redis.call('EXISTS', list) == 0
  if is_empty then redis.call('DEL', peers) end
  local gone = is_empty and held or size
  if gone > 0 then
    if redis.call('HINCRBY', KEYS[1], 'all', -gone) < 0 then redis.call('HSET', KEYS[1], 'all', 0) end
    if redis.call('HINCRBY', KEYS[1], list, -gone) <= 0 then redis.call('HDEL', KEYS[1], list) end
  end
  return values, size, is_empty
end
"""

TAKE = _script(f"""
-- Take bundles from the head of a list, up to a number of bytes.
-- KEYS: the bytes of each list, the list, the bytes of each peer in it. ARGV: bytes.
{_TAKEN}
look(KEYS[2], KEYS[3])
local bundles = take(KEYS[2], KEYS[3], tonumber(ARGV[1]))
return bundles
""")

TAKE_ALONE = _script(f"""
-- The same from several lists, for a worker that works on each of them alone until it leaves it.
-- KEYS: the bytes of each list, then for each list: itself, the bytes of each peer in it, its owner.
-- ARGV: bytes of each list, the worker, and for how many milliseconds it counts as alive.
-- An owner without an end is none that a worker has set: it is put aside.
-- Gives in how many of the lists something is left for the worker, then the bundles of each list, of one with another
-- owner none.
{_TAKEN}
local held, owners = {{}}, {{}}
for i = 2, #KEYS, 3 do
  -- Most lists hold nothing, and are passed at once.
  held[i] = redis.call('LLEN', KEYS[i]) > 0 or redis.call('HGET', KEYS[1], KEYS[i])
  if held[i] then
    owners[i] = redis.call('GET', KEYS[i + 2])
    if owners[i] and redis.call('PTTL', KEYS[i + 2]) == -1 then
      return redis.error_reply('WRONGTYPE an owner without an end')
    end
    look(KEYS[i], KEYS[i + 1])
  end
end
local found = {{0}}
for i = 2, #KEYS, 3 do
  local bundles, size, is_empty = {{}}, 0, true
  if held[i] and (not owners[i] or owners[i] == ARGV[2]) then
    bundles, size, is_empty = take(KEYS[i], KEYS[i + 1], tonumber(ARGV[1]))
    if size > 0 then redis.call('SET', KEYS[i + 2], ARGV[2], 'PX', ARGV[3]) end
  end
  found[#found + 1] = bundles
  if not is_empty then found[1] = found[1] + 1 end
end
return found
""")

LEAVE = _script("""
-- The worker leaves lists. KEYS: the owner of each list. ARGV: the worker. Gives how many it had.
local left = 0
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then left = left + redis.call('DEL', key) end
end
return left
""")

DISCARD = _script("""
-- Empty an outgoing list. KEYS: the bytes of each list, the list. Returns the number of bytes that it held.
local held = tonumber(redis.call('HGET', KEYS[1], KEYS[2]) or '0')
redis.call('DEL', KEYS[2])
redis.call('HDEL', KEYS[1], KEYS[2])
if held > 0 then redis.call('HINCRBY', KEYS[1], 'all', -held) end
return held
""")

TELL = _script("""
-- Append values to a list that keeps only its last ones. KEYS: the list. ARGV: the number to keep, the values.
for i = 2, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[1]), -1)
return redis.call('LLEN', KEYS[1])
""")

HEAR = _script("""
-- Take values from the head of a list. KEYS: the list. ARGV: their number.
return redis.call('LPOP', KEYS[1], tonumber(ARGV[1])) or {}
""")

NOTIFY = _script("""
-- One value to each list, for one of those that wait for it. KEYS: the lists. ARGV: the number of values that a list
-- keeps, and for how many milliseconds.
for _, key in ipairs(KEYS) do
  redis.call('RPUSH', key, 1)
  redis.call('LTRIM', key, -tonumber(ARGV[1]), -1)
  redis.call('PEXPIRE', key, ARGV[2])
end
return #KEYS
""")

SHOW = _script("""
-- Fields of a hash that vanishes unless it is refreshed.
-- KEYS: the hash. ARGV: seconds, 1 if it begins anew, how many fields go, those that go, then fields and values.
-- Gives whether it was there.
if ARGV[2] == '1' then redis.call('DEL', KEYS[1]) end
local was_there = redis.call('EXISTS', KEYS[1])
local gone = tonumber(ARGV[3])
for i = 4, 3 + gone do redis.call('HDEL', KEYS[1], ARGV[i]) end
for i = 4 + gone, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], tonumber(ARGV[1]))
return was_there
""")
