/** The delivery classes: what matters more for this kind of message, a duplicate or silence. */
export const DELIVERY_CLASSES = ['security', 'document', 'transactional', 'legal', 'alert', 'marketing'] as const;
export type DeliveryClass = (typeof DELIVERY_CLASSES)[number];

export const CHANNELS = ['email', 'sms', 'push', 'whatsapp', 'line', 'slack', 'in-app', 'webhook'] as const;
export type Channel = (typeof CHANNELS)[number];

/** What may be done about a delivery whose outcome stays unknown, once no key and no lookup can tell. */
export const UNKNOWN_ACTIONS = ['replay', 'lookup', 'resend', 'failover', 'assume-sent', 'park'] as const;
export type UnknownAction = (typeof UNKNOWN_ACTIONS)[number];
