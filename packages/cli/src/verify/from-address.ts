import { flagWords } from '../simulate/again.ts';
import { isPostgres, isSqlite, withoutPassword } from '../real/address.ts';
import { postgresSuite } from './postgres-suite.ts';
import { redisSuite } from './redis-suite.ts';
import { sqliteSuite } from './sqlite-suite.ts';
import type { PortName, Suite } from './suite.ts';

/** The suite of one of our own adapters at that address; null for what is none: the name of a file. */
export function fromAddress(port: PortName, text: string): Suite | null {
  const isLedger = port === 'ledger';
  if (isLedger && isSqlite(text)) return { ...sqliteSuite(), from: text, flags: flagWords(port, text) };
  if (!URL.canParse(text)) return null;
  const shown = withoutPassword(text);
  const named = { from: shown, flags: flagWords(port, shown) };
  if (isLedger && isPostgres(text)) return { ...postgresSuite(text), ...named };
  if (/^rediss?:\/\//.test(text)) return { ...redisSuite(port, text), ...named };
  return null;
}
