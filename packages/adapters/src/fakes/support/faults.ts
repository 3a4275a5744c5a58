/** What goes wrong with a request that sends. */
export type Fault<Code extends string = string> =
  | { readonly kind: 'drop-after-accept' | 'drop-before-accept' | 'empty-200' | 'html-200' | 'redirect' }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'throttle'; readonly retryAfterS?: number }
  | { readonly kind: 'server-error'; readonly status: number; readonly accepted?: boolean }
  | { readonly kind: 'refuse'; readonly code: Code };

/** What the vendor has done by then. */
export const FAULTS: Readonly<Record<Fault['kind'], string>> = {
  'drop-after-accept': 'takes the message, then ends the connection without an answer',
  'drop-before-accept': 'ends the connection without an answer, and has taken nothing',
  late: 'takes the message, and answers `ms` later; a repeat of its key in between finds it in flight',
  throttle: "refuses by the vendor's own answer to too many requests, with the wait of `retryAfterS` seconds if given",
  'server-error': 'answers with `status` (500 to 599), and has taken nothing, or the message where `accepted` is true',
  'empty-200': 'takes the message, and answers 200 with nothing',
  'html-200': 'answers 200 with a page, as a proxy does before the vendor: nothing was taken',
  redirect: 'answers 307 to an address where nobody is, and has taken nothing',
  refuse: "refuses by `code`, one of the vendor's own, in the vendor's format",
};
