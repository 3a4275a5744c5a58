/*
 * What a text of `--ledger` is. Apart from what opens it, which loads a driver.
 */

export function isSqlite(address: string): boolean {
  return address.startsWith('sqlite:');
}

export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address) && URL.canParse(address);
}

/** A server's address as it may be printed. */
export function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = '';
  return url.href;
}
