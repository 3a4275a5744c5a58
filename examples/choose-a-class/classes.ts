import { notification, type NotifierConfig } from '@sendonce/core';

interface Login {
  readonly user: string;
  readonly phone: string;
  readonly code: string;
}
interface Invoice {
  readonly number: string;
  readonly email: string;
}

export const notifications = {
  // #region types
  // A code that comes twice is a nuisance; one that does not come is a locked door.
  loginCode: notification<Login>({
    class: 'security',
    key: ({ user, code }) => `${user}:${code}`,
    route: ({ phone }) => [{ channel: 'sms', to: phone }],
    content: ({ code }) => ({ text: `Your code is ${code}` }),
    expiresInMs: 2 * 60_000, // the code itself is good for two minutes
  }),
  // Paying twice is worse than asking again: what nobody can tell is parked, not sent again.
  invoice: notification<Invoice>({
    class: 'document',
    key: ({ number }) => number,
    route: ({ email }) => [{ channel: 'email', to: email }],
    content: ({ number }) => ({ subject: `Invoice ${number}` }),
    onUnknown: 'park',
  }),
  // #endregion
};

// #region classes
/** For every type of a class at once: legal letters give up after two tries instead of five. */
export const classes: NotifierConfig['classes'] = {
  legal: { maxAttempts: 2, retry: { schedule: [60_000] } },
};
// #endregion
