/** The weekday and the time (`09:30`) in the tenant's time zone. */
function localTime(timeZone, now) {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const of = (type) => parts.find((part) => part.type === type).value;
  return { day: of('weekday').toLowerCase(), time: `${of('hour')}:${of('minute')}` };
}

/** Whether nobody of the team is there. Without hours there is no such time. */
export function isAway(hours, now = new Date()) {
  if (!hours) return false;
  try {
    const { day, time } = localTime(hours.timeZone, now);
    return !(hours.days[day] ?? []).some(({ from, to }) => from <= time && time < to);
  } catch {
    // An old browser that doesn't know the time zone.
    return false;
  }
}
