import { platformNames } from '@botyard/contracts/platform-names';
import { Field } from '../parts/controls.tsx';

/** Names a person by an account at a platform. */
export const AccountFields = () => (
  <>
    <Field label="Platform" name="platform" choices={platformNames} />
    <Field
      label="Account"
      name="platformUserId"
      isRequired
      hint="The person's messenger user ID or email address."
    />
  </>
);
