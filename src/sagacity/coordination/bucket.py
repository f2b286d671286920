"""The token bucket of rate limits, in Python and in Lua with the same arithmetic."""

MINUTE_SECONDS = 60.0
ENOUGH = 1 - 1e-6
"""One call, less rounding errors, so that a caller who waited as long as told gets one."""


def take(left: float, since: float, now: float, per_minute: int) -> tuple[float, float]:
    """
    Take one call from a bucket.

    Args:
        left: calls left at *since*.
        since: when the bucket was last used, in seconds.
        now: the current time by the same clock; if the clock was set back, nothing refills.
        per_minute: the bucket's size, and how much it refills per minute.

    Returns:
        Calls left at *now*, and the seconds to wait: 0 if the call was taken.
    """
    left = min(per_minute, left + max(0.0, now - since) * per_minute / MINUTE_SECONDS)
    if left >= ENOUGH:
        return left - 1, 0.0
    return left, (1 - left) * MINUTE_SECONDS / per_minute


SERVER_NOW = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
"""
TAKE = f"""
local per_minute = tonumber(ARGV[1])
local left, since = per_minute, now
local kept = redis.call('GET', KEYS[1])
if kept then
  local first, second = string.match(kept, '(%S+) (%S+)')
  left, since = tonumber(first), tonumber(second)
end
left = math.min(per_minute, left + math.max(0, now - since) * per_minute / {MINUTE_SECONDS})
local wait = 0
if left >= {ENOUGH!r} then
  left = left - 1
else
  wait = (1 - left) * {MINUTE_SECONDS} / per_minute
end
redis.call('SET', KEYS[1], string.format('%.17g %.17g', left, now), 'PX', {int(MINUTE_SECONDS * 1000)})
return string.format('%.17g', wait)
"""
"""`take` on the server, by the server's clock. A bucket unused for a minute is full, so it may expire."""
