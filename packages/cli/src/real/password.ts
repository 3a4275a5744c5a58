import { serverOf, withoutPassword } from './address.ts';

/** Where a password goes on to the processes of the run: each of them has this environment, and nobody prints it. */
export type PasswordOf = 'SENDONCE_LEDGER_PASSWORD' | 'SENDONCE_QUEUE_PASSWORD';

/** Puts the address's password, if it has one, where `withPassword` finds it, and gives the address without it. */
export function keepPassword(address: string, of: PasswordOf): string {
  const { password } = new URL(address);
  if (password !== '') process.env[of] = decodeURIComponent(password);
  return withoutPassword(address);
}

/** The address that a driver connects to. */
export function withPassword(address: string, of: PasswordOf): string {
  const url = serverOf(address);
  const password = process.env[of];
  if (password !== undefined) url.password = encodeURIComponent(password);
  return url.href;
}
