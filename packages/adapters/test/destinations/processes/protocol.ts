/** Where the destinations of a child are. */
export type Place =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly table: string }
  | { readonly kind: 'redis'; readonly port: number; readonly name: string };

export interface Order {
  readonly what: 'register' | 'report';
  /** Of the evidence, epoch ms. */
  readonly at: number;
}

export const OWNER = { tenant: 'default', channel: 'push' } as const;
export const TOKENS: readonly string[] = Array.from({ length: 25 }, (_, i) => `token-${i}`);
