import { createHash } from 'node:crypto';
import { DELIVERY_HEADER, type Mail } from '../email/mail.ts';
import type { MailLibrary } from './library.ts';

/** The bytes of a mail: a function of the mail alone, so that a repeat is the same message to whoever compares. */
export function mimeOf(mail: Mail, { MailComposer }: Pick<MailLibrary, 'MailComposer'>): Promise<Buffer> {
  const { from, to, messageId, deliveryId, subject, text, html, headers, attachments, date } = mail;
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    messageId,
    subject,
    ...(text === null ? {} : { text }),
    ...(html === null ? {} : { html }),
    headers: [{ key: DELIVERY_HEADER, value: deliveryId }, ...headers.map(([key, value]) => ({ key, value }))],
    attachments: attachments.map(({ filename, content, contentType, cid }) => ({
      filename,
      content,
      ...(contentType === null ? {} : { contentType }),
      ...(cid === null ? {} : { cid }),
    })),
    date: new Date(date),
    baseBoundary: boundaryOf(mail),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return new Promise((resolve, reject) => {
    composer.compile().build((error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}

/** Of the key and of all that is between the boundaries: a text that knew its own boundary could add parts of its own to the mail. */
function boundaryOf({ messageId, text, html, attachments }: Mail): string {
  const hash = createHash('sha256').update(JSON.stringify([messageId, text, html]));
  for (const { filename, content } of attachments)
    hash.update(JSON.stringify([filename, content.length])).update(content);
  return hash.digest('hex').slice(0, 32);
}
