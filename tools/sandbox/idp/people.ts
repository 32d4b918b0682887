/** People who can sign in through the sandbox's identity provider: one for each role, to try its rights. */
import type { FakeIdp } from '@botyard/testing/fake-idp';

type IdpRole = 'admin' | 'member' | 'stranger' | 'neighbour';

type IdpPerson = {
  userId: string;
  name: string;
  email: string;
  /** `neighbour` is the admin of another tenant. The launcher gives these roles when it makes the demo tenant. */
  role: IdpRole;
  about: string;
};

export const idpPeople: readonly IdpPerson[] = [
  {
    ...{ userId: 'user_admin', name: 'Ada Admin', email: 'ada@people.sandbox.test', role: 'admin' },
    about: 'administers the tenant Demo',
  },
  {
    ...{ userId: 'user_member', name: 'Max Member', email: 'max@people.sandbox.test', role: 'member' },
    about: 'is a member of the tenant Demo, and may read',
  },
  {
    ...{
      userId: 'user_neighbour',
      name: 'Nia Neighbour',
      email: 'nia@people.sandbox.test',
      role: 'neighbour',
    },
    about: 'administers another tenant, Neighbour, and may not see Demo',
  },
  {
    ...{ userId: 'user_stranger', name: 'Stu Stranger', email: 'stu@people.sandbox.test', role: 'stranger' },
    about: 'is signed in and belongs to no tenant',
  },
];

/** The people above, and an organization with an owner, so that `/api/idp-admin` has something to show. */
export function addPeople(idp: FakeIdp): FakeIdp {
  for (const { userId, name, email } of idpPeople) {
    const [firstName = '', lastName = ''] = name.split(' ');
    idp.addUser({ id: userId, email, firstName, lastName });
  }
  idp.addUser({ id: 'user_sandbox', email: 'sam@sandbox.test', firstName: 'Sam', lastName: 'Sandbox' });
  idp.addOrganization({ id: 'org_sandbox', name: 'Sandbox' });
  idp.addMembership({ userId: 'user_sandbox', orgId: 'org_sandbox', role: 'org:admin' });
  return idp;
}
