/*
 * What a text of `--ledger` or `--queue` is. Apart from what opens it, which loads a driver.
 */

export function isSqlite(address: string): boolean {
  return address.startsWith('sqlite:');
}

export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address) && isWhole(address);
}

export function isRedis(address: string): boolean {
  return /^rediss?:\/\//.test(address) && isWhole(address);
}

export function isSqs(address: string): boolean {
  return /^sqs\+https?:\/\//.test(address) && isWhole(address);
}

export function isAmqp(address: string): boolean {
  return /^amqps?:\/\//.test(address) && isWhole(address);
}

function isWhole(address: string): boolean {
  return URL.canParse(address) && !isBare(address);
}

/** A server's address that says nothing but its kind: a driver would take it for whatever its own defaults and the environment say. */
export function isBare(address: string): boolean {
  return /^(postgres(ql)?|rediss?|sqs\+https?|amqps?):\/\/\/?$/.test(address);
}

/** A server that the run starts for itself. */
export function isOwn(address: string): boolean {
  return address === 'redis:' || address === 'postgres:' || address === 'amqp:';
}

/** Something that others can reach, too, and that is still there when the run is over. */
export function isServer(address: string): boolean {
  return [isPostgres, isRedis, isSqs, isAmqp].some((fits) => fits(address));
}

/** A server's address as it may be printed. */
export function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = '';
  return url.href;
}

/** What was given for an address, as it may be printed although it is none. */
export function masked(text: string): string {
  return text.replace(/(\/\/[^/@:]*):[^@]*@/, '$1:...@');
}

/** The server's address without what the run has put behind it: the name of what it made there. */
export function serverOf(address: string): URL {
  const url = new URL(address);
  url.hash = '';
  return url;
}

/** What the run has made at a server, as the address names it. */
export function nameIn(address: string): string {
  return new URL(address).hash.slice(1);
}

/** The address with that name behind it. */
export function named(address: string, name: string): string {
  const url = new URL(address);
  url.hash = name;
  return url.href;
}
