// A mail server for this example: takes every mail, and puts it into a folder, a file each.
//   node examples/1-quickstart/mailbox.js
// QUICKSTART_PORT: where it listens, 2525 by default; QUICKSTART_FOLDER: where mail/ is made, by default here.
// QUICKSTART_REFUSE: an address whose mails it refuses for good, to practise with dead letters; by default none.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';

const port = Number(process.env.QUICKSTART_PORT ?? 2525);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`QUICKSTART_PORT is '${process.env.QUICKSTART_PORT}'; it must be a number from 0 to 65535.`);
  process.exit(1);
}
const folder = join(process.env.QUICKSTART_FOLDER ?? fileURLToPath(new URL('.', import.meta.url)), 'mail');
await mkdir(folder, { recursive: true });
const refused = process.env.QUICKSTART_REFUSE?.toLowerCase();
let mails = 0;

/** ann@example.com.eml; a second mail to the same person would be ann@example.com.2.eml. */
async function keep(to, bytes) {
  const name = to.toLowerCase().replace(/[/\\%]/g, encodeURIComponent);
  for (let nth = 1; ; nth++) {
    const file = join(folder, `${name}${nth === 1 ? '' : `.${nth}`}.eml`);
    try {
      return await writeFile(file, bytes, { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

async function take(stream, { envelope }) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  for (const { address } of envelope.rcptTo) {
    await keep(address, Buffer.concat(chunks));
    mails += 1;
    if (mails <= 5 || mails % 100 === 0) console.log(`mail ${mails}: to ${address}`);
  }
}

function isKnown({ address }, session, done) {
  if (address.toLowerCase() !== refused) return done();
  console.log(`refused: ${address}`);
  done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
}

const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  hideSMTPUTF8: false,
  onRcptTo: isKnown,
  onData: (stream, session, done) => take(stream, session).then(() => done(), done),
});
server.on('error', ({ code, syscall, message }) => {
  // Whoever sends may be killed in the middle of a mail: that ends one connection, not the mailbox.
  if (syscall !== 'listen') return console.error(message);
  const why = code === 'EADDRINUSE' ? 'something listens there already' : message;
  console.error(`The mailbox cannot listen at 127.0.0.1:${port}: ${why}. Choose another port: QUICKSTART_PORT=2526`);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => {
  console.log(`Listening at 127.0.0.1:${server.server.address().port}; each mail is a file in ${folder}`);
});
