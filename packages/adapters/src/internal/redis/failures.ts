import { SendonceError, type ErrorCode } from '@sendonce/core';

type Told = readonly [begins: string, code: ErrorCode, advice: string];

const NO_RIGHT =
  "this user may not do that; let it run EVAL, EVALSHA and the commands of scripts on all keys that begin with the ledger's name in braces";

/** What Redis says, by how its error begins, that a user can do something about. */
const TOLD: readonly Told[] = [
  [
    'OOM',
    'LEDGER_FULL',
    'the server has used all the memory that it may (maxmemory); give it more, and the worker goes on by itself',
  ],
  [
    'MISCONF',
    'LEDGER_FULL',
    'the server cannot save to its disk and takes no writes; free some space there, and the worker goes on by itself',
  ],
  ['READONLY', 'LEDGER_READ_ONLY', 'it cannot be written: this is a replica; connect to the master'],
  ['NOAUTH', 'LEDGER_REFUSED', 'the server wants a password; set it in the options of the client'],
  ['WRONGPASS', 'LEDGER_REFUSED', 'the server does not let this user in; correct user and password of the client'],
  ['NOPERM', 'LEDGER_REFUSED', NO_RIGHT],
  ['ERR The user executing the script', 'LEDGER_REFUSED', NO_RIGHT],
  [
    'WRONGTYPE',
    'LEDGER_CORRUPT',
    'a key of the ledger holds something else; give the ledger a name that nothing else in this Redis uses',
  ],
];
const NO_ANSWER = 'no answer, so it is not known whether it was written; the call may be repeated';

export function whoOf(name: string): string {
  return `ledger '${name}' in Redis`;
}

/** The error that a user sees for a client's. */
export function unavailable(error: unknown, name: string, who: string = whoOf(name)): SendonceError {
  if (error instanceof SendonceError) return error;
  const said = saidBy(error);
  const [, code, advice] = TOLD.find(([begins]) => isAbout(said, begins)) ?? ['', 'LEDGER_UNAVAILABLE', NO_ANSWER];
  return new SendonceError(code, `${who}: ${advice} (Redis says: ${said})`, { cause: error });
}

/** What a script's command was refused with stands somewhere behind the script's own words. */
function isAbout(said: string, begins: string): boolean {
  return said.startsWith(begins) || said.includes(`: ${begins} `) || said.includes(`-${begins} `);
}

export function saidBy(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
}
