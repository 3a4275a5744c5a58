import { createServer, type AddressInfo, type Socket } from 'node:net';

/** Where a conversation can be made to go wrong: a command, the start, the middle of a message, or its end (the whole of it was read). */
export type SmtpStep = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'body' | 'message' | 'RSET' | 'QUIT';

const ENDS = ['close', 'reset', 'hang'] as const;
type End = (typeof ENDS)[number];

/** A reply, or one of `ENDS` instead of it, or that after it. */
export type SmtpAct = string | { readonly reply: string; readonly then: End };

export interface FakeSmtpOptions {
  /** What is done at the nth time (from 1, over all connections) of a step; undefined: what a server does. */
  readonly script?: (step: SmtpStep, nth: number) => SmtpAct | undefined;
  /** @defaultValue PIPELINING and SIZE */
  readonly extensions?: readonly string[];
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly bytes: string;
}

export interface FakeSmtp {
  readonly port: number;
  /** Every message that was read up to its final dot, whatever was answered. */
  readonly complete: ReceivedMail[];
  readonly commands: string[];
  connections(): number;
  close(): Promise<void>;
}

const USUAL: Readonly<Record<SmtpStep, string>> = {
  connect: '220 fake ESMTP',
  EHLO: '',
  AUTH: '235 2.7.0 in',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 go on',
  body: '',
  message: '250 2.0.0 Ok: queued as 4F2A1B',
  RSET: '250 2.0.0 Ok',
  QUIT: '221 2.0.0 Bye',
};

/** An SMTP server that knows nothing of mail and does what its script says, at a free port of this host. */
export async function fakeSmtp({
  script = () => undefined,
  extensions = ['PIPELINING', 'SIZE 1000000'],
}: FakeSmtpOptions = {}): Promise<FakeSmtp> {
  const times = new Map<SmtpStep, number>();
  const complete: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const server = createServer((socket) => {
    connections += 1;
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let input = '';
    let isOver = false;
    let isMessage = false;
    let hasBody = false;
    let from = '';
    let to: string[] = [];
    let recipient = '';

    /** True when the conversation goes on. */
    const act = (step: SmtpStep, usual = USUAL[step]): boolean => {
      const nth = (times.get(step) ?? 0) + 1;
      times.set(step, nth);
      const given = script(step, nth) ?? usual;
      const { reply, then } =
        typeof given === 'object'
          ? given
          : ENDS.includes(given as End)
            ? { reply: '', then: given as End }
            : { reply: given, then: null };
      if (reply !== '') socket.write(`${reply}\r\n`);
      if (then === 'close') socket.end();
      if (then === 'reset') socket.resetAndDestroy();
      if (then === 'hang') socket.pause();
      isOver = then !== null;
      if (step === 'RCPT' && /^2/.test(reply)) to.push(recipient);
      if (step === 'DATA' && /^3/.test(reply)) isMessage = true;
      return !isOver;
    };

    const command = (line: string): void => {
      commands.push(line);
      const [verb = ''] = line.toUpperCase().split(' ');
      if (verb === 'MAIL') from = /<(.*?)>/.exec(line)?.[1] ?? '';
      if (verb === 'RCPT') recipient = /<(.*?)>/.exec(line)?.[1] ?? '';
      if (verb === 'RSET' || verb === 'MAIL') to = [];
      if (verb === 'EHLO')
        act(
          'EHLO',
          ['fake', ...extensions].map((each, i) => `250${i === extensions.length ? ' ' : '-'}${each}`).join('\r\n'),
        );
      else if (verb === 'QUIT') {
        if (act('QUIT')) socket.end();
      } else if (['AUTH', 'MAIL', 'RCPT', 'RSET'].includes(verb)) act(verb as SmtpStep);
      else if (verb === 'DATA') act('DATA', to.length === 0 ? '554 5.5.1 no valid recipients' : USUAL.DATA);
      else socket.write('500 what?\r\n');
    };

    const read = (): void => {
      while (!isOver) {
        if (isMessage) {
          if (!hasBody && input !== '') {
            hasBody = true;
            if (!act('body')) return;
          }
          const end = input.startsWith('.\r\n') ? 0 : input.indexOf('\r\n.\r\n');
          if (end < 0) return;
          complete.push({ from, to, bytes: input.slice(0, end) });
          input = input.slice(end + (end === 0 ? 3 : 5));
          isMessage = false;
          hasBody = false;
          act('message');
        } else {
          const end = input.indexOf('\r\n');
          if (end < 0) return;
          const line = input.slice(0, end);
          input = input.slice(end + 2);
          command(line);
        }
      }
    };

    socket.on('data', (chunk) => {
      input += chunk.toString('latin1');
      read();
    });
    act('connect');
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    complete,
    commands,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
