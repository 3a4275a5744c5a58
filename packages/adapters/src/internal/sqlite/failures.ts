import { SendonceError, type ErrorCode } from '@sendonce/core';

/** SQLite's primary result codes that a user can do something about. */
const BY_NUMBER: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** Errors of SQLite itself, apart from those of our own code and of the values that it was given. */
export function isDriverError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof SendonceError) return false;
  const { code, errcode, rawCode, message } = error as {
    code?: unknown;
    errcode?: unknown;
    rawCode?: unknown;
    message: string;
  };
  const isCoded = typeof errcode === 'number' || typeof rawCode === 'number' || String(code).startsWith('SQLITE_');
  return isCoded || IN_TRANSACTION.test(message);
}

/** The primary code of a driver's error, by the names of better-sqlite3 and libsql or by the numbers of node:sqlite. */
export function codeOf(error: unknown): string {
  const { code, errcode, rawCode, message } = error as {
    code?: unknown;
    errcode?: unknown;
    rawCode?: unknown;
    message?: unknown;
  };
  const opening = OPENING.exec(String(message))?.[1];
  const number = [errcode, rawCode, Number(opening ?? NaN)].find((each) => Number.isInteger(each)) as
    number | undefined;
  // The lower byte of an extended code is the primary one.
  if (number !== undefined) return BY_NUMBER[number & 0xff] ?? `SQLITE_${number}`;
  // Somebody else's transaction on a connection that is shared with us: to be waited for like a lock.
  if (IN_TRANSACTION.test(String(message))) return 'SQLITE_BUSY';
  const name = /^SQLITE_[A-Z]+/.exec(String(code))?.[0] ?? String(code);
  return name === 'SQLITE_LOCKED' ? 'SQLITE_BUSY' : name;
}

/** What SQLite says to a BEGIN where a transaction is open already. */
export function isInsideTransaction(error: unknown): boolean {
  return error instanceof Error && IN_TRANSACTION.test(error.message);
}

const IN_TRANSACTION = /within a transaction/;
/** How libsql says that it cannot open a file: with SQLite's code in the text alone. */
const OPENING = /^ConnectionFailed\(.*: (\d+)"?\)$/;

const TOLD: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  SQLITE_FULL: ['LEDGER_FULL', 'the disk is full; free some space, and the worker goes on by itself'],
  SQLITE_READONLY: [
    'LEDGER_READ_ONLY',
    'it cannot be written; give this user write access to the file and to its folder',
  ],
  SQLITE_CORRUPT: ['LEDGER_CORRUPT', 'it is damaged; keep a copy of it, then run: sqlite3 FILE .recover'],
  SQLITE_NOTADB: ['LEDGER_CORRUPT', 'it is no SQLite database; give the ledger a file of its own'],
  SQLITE_CANTOPEN: [
    'LEDGER_UNAVAILABLE',
    'it cannot be opened; see that its folder exists and that this user may write there',
  ],
};

/** What SQLite says where a statement of ours names what we made, and it is not there. */
const GONE = /no such (?:table|view|index|column)|has no column named/;
const LOST: readonly [ErrorCode, string] = [
  'LEDGER_CORRUPT',
  'it has lost a part of the ledger, which another program dropped; stop what uses this file and start it again: an index is made anew then, and what else is missing is told',
];

/** The error that a user sees for a driver's. Nothing of the call was written. */
export function unavailable(error: unknown, file: string): SendonceError {
  const driver = error instanceof Error ? error.message : String(error);
  const [code, advice] = (GONE.test(driver) ? LOST : TOLD[codeOf(error)]) ?? [
    'LEDGER_UNAVAILABLE',
    'nothing was written, and the call may be repeated',
  ];
  return new SendonceError(code, `'${file}': ${advice} (SQLite says: ${driver})`, { cause: error });
}
