import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** The parts of a config that a test is about, as code. */
export interface Parts {
  /** Before everything else. */
  readonly top?: string;
  /** Options of the only type, `hello`; they win over those that let it pass. */
  readonly type?: string;
  /** In place of the config. */
  readonly exported?: string;
}

/** Makes config files in a folder that is gone after the tests. */
export function configFolder(): { readonly folder: string; readonly write: (parts: Parts) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'notify-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const write = ({ top = '', type = '', exported = 'config' }: Parts): string => {
    const file = join(folder, `own-${files++}.config.ts`);
    const text = `${top}
const capabilities = { idempotency: { kind: 'key', windowMs: 86400000 }, lookup: 'none', correlation: 'none', coalesce: false };
const send = (): never => { throw new Error('never called'); };
const config = {
  channels: { email: { providers: [{ name: 'mail', capabilities, send, close() {} }] } },
  notifications: { hello: {
    class: 'transactional', key: (data: any) => String(data.i), sample: (i: number) => ({ i }),
    route: (data: any) => [{ channel: 'email', to: \`a\${data.i}@x.org\` }],
    content: (): unknown => ({ subject: 'x' }),
    ${type}
  } },
};
export default ${exported};
`;
    writeFileSync(file, text);
    return file;
  };
  return { folder, write };
}
