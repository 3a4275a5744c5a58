/** What a call can ask the store about, beside records by their ids. */
export type Asked =
  | 'work'
  | 'watch'
  | 'of'
  | 'some'
  | 'recipient'
  | 'message'
  | 'unsettled'
  | 'routing'
  | 'unfinished'
  | 'ended'
  | 'page'
  | 'before'
  | 'request'
  | 'kept'
  | 'suppressed';

/** What an answer is made of: ids of records, which may come with it, or values. */
export const ASKED: Readonly<Record<Asked, 'deliveries' | 'notifications' | 'values'>> = {
  work: 'deliveries',
  watch: 'deliveries',
  of: 'deliveries',
  some: 'deliveries',
  recipient: 'deliveries',
  message: 'deliveries',
  unsettled: 'deliveries',
  routing: 'notifications',
  unfinished: 'notifications',
  ended: 'notifications',
  page: 'values',
  before: 'values',
  request: 'values',
  kept: 'values',
  suppressed: 'values',
};

/** Of `some` deliveries of a notification `b` is after which id, and how many: `d_...+50`. Of a scan by time (`work`, `watch`, `routing`) `a` is how late, and `b` how many to pass over and how many to bring: `0+16`. */
export interface Question {
  readonly kind: Asked;
  readonly a: string;
  readonly b: string;
}

/** What one request is to bring. */
export interface Wanted {
  readonly deliveries: ReadonlySet<string>;
  readonly notifications: ReadonlySet<string>;
  readonly questions: readonly Question[];
}
