import { createRequire } from 'node:module';
import { installed } from '../installed.ts';
import type { MailLibrary } from '../smtp/library.ts';

export interface SesLibrary<Sdk> {
  readonly sdk: Sdk;
  readonly mime: Pick<MailLibrary, 'MailComposer'>;
}

/**
 * Loads what is installed: the vendor's client, which signs, and the library that makes the mail. `who` is the factory.
 * @throws SendonceError DRIVER_MISSING when one of the two is not.
 */
export function sesLibrary<Sdk>(
  who: string,
  name: string,
  find: (name: string) => unknown = createRequire(import.meta.url),
): SesLibrary<Sdk> {
  return installed(() => {
    const MailComposer = find('nodemailer/lib/mail-composer') as MailLibrary['MailComposer'];
    return { sdk: find(name) as Sdk, mime: { MailComposer } };
  }, `${who}() needs the packages '${name}' and 'nodemailer'; run: npm install ${name} nodemailer`);
}
