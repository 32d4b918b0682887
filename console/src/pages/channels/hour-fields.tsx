import { Field } from '../../parts/controls.tsx';
import { dayField, type Hours, textOf, weekdays } from './hours.ts';

const zones = Intl.supportedValuesOf('timeZone');
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface HourFieldsProps {
  hours: Hours | null;
  issueOf: (...place: string[]) => string | undefined;
}

/** The hours in which people answer. */
export function HourFields({ hours, issueOf }: HourFieldsProps) {
  const zone = hours?.timeZone ?? ownZone;
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-sm font-medium">Hours in which people answer</legend>
      <p className="text-sm text-soft">
        Such as 9:00–12:30, 14:00–17:30. Leave a day empty if nobody is there, and all of them if there are no
        such hours.
      </p>
      <Field
        label="Time zone"
        name="timeZone"
        choices={zones.includes(zone) ? zones : [zone, ...zones]}
        defaultValue={zone}
        issue={issueOf('hours', 'timeZone')}
      />
      {weekdays.map((day) => (
        <Field
          key={day}
          label={`${day[0]?.toUpperCase()}${day.slice(1)}`}
          name={dayField(day)}
          defaultValue={textOf(hours?.days[day])}
          issue={issueOf('hours', 'days', day)}
        />
      ))}
    </fieldset>
  );
}
