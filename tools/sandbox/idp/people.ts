/** The people who can sign in through the sandbox's identity provider: one per role, to try out its rights. */
import type { FakeIdp } from '@botyard/testing/fake-idp';

type IdpRole = 'admin' | 'member' | 'stranger' | 'neighbour';

type IdpPerson = {
  userId: string;
  name: string;
  email: string;
  /** `neighbour` is the admin of another tenant. The launcher assigns these roles when it creates the demo tenant. */
  role: IdpRole;
  about: string;
};

export const idpPeople: readonly IdpPerson[] = [
  {
    userId: 'user_admin',
    name: 'Ada Admin',
    email: 'ada@people.sandbox.test',
    role: 'admin',
    about: 'admin of the tenant Demo',
  },
  {
    userId: 'user_member',
    name: 'Max Member',
    email: 'max@people.sandbox.test',
    role: 'member',
    about: 'member of the tenant Demo, can only read',
  },
  {
    userId: 'user_neighbour',
    name: 'Nia Neighbour',
    email: 'nia@people.sandbox.test',
    role: 'neighbour',
    about: 'admin of another tenant, Neighbour, without access to Demo',
  },
  {
    userId: 'user_stranger',
    name: 'Stu Stranger',
    email: 'stu@people.sandbox.test',
    role: 'stranger',
    about: 'signed in, but not a member of any tenant',
  },
];

/** Adds these people, and an organization with an owner so that `/api/idp-admin` has data to show. */
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
