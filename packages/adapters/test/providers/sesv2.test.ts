import { expect, onTestFinished, test, vi } from 'vitest';
import { sesv2 } from '../../src/providers/sesv2.ts';
import { outcomeOf, SENDER } from './support/api-mail.ts';
import { answer } from './support/fake-http.ts';
import { contextOf, outgoing } from './support/sending.ts';
import { testSes } from './support/ses-provider.ts';

testSes({
  name: 'sesv2',
  make: (options) => sesv2(options as never),
  taken: (id) => JSON.stringify({ MessageId: id }),
  refusal: (__type, message = 'in words') => JSON.stringify({ __type, message }),
  megabytes: 10,
  mostMegabytes: 40,
  read: ({ line, body }) => {
    const { Content, ...said } = JSON.parse(body) as { Content: { Raw: { Data: string } } };
    return { fields: { line, ...said }, mime: Buffer.from(Content.Raw.Data, 'base64').toString() };
  },
  fields: (Value, to) => ({
    line: 'POST /v2/email/outbound-emails HTTP/1.1',
    Destination: { ToAddresses: [to] },
    EmailTags: [{ Name: 'sendonce_delivery', Value }],
    ConfigurationSetName: 'events',
  }),
});

test.each([
  ['BadRequestException:http://internal.amazon.com/coral/', 'message', 'BadRequestException'],
  ['com.amazonaws.sesv2#NotFoundException', 'provider', 'NotFoundException'],
])('the error %s of a header is read by its name', async (given, scope, code) => {
  const make = (endpoint: string) =>
    sesv2({ from: SENDER, region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, endpoint });
  const outcome = await outcomeOf(make, answer(400, '{"message":"in words"}', { 'x-amzn-errortype': given }));
  expect(outcome).toMatchObject({ kind: 'rejected', scope, code });
});

test('without a region in the profile nothing is sent, and the reason says what to do', async () => {
  vi.stubEnv('AWS_REGION', undefined);
  // A file that is there, and names none.
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
  onTestFinished(() => void vi.unstubAllEnvs());
  const provider = sesv2({ from: SENDER, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  expect(await provider.send(outgoing({ content: { subject: 'x', text: 'x' } }), contextOf())).toEqual({
    kind: 'not-sent',
    reason: expect.stringContaining('no region: give the option region') as string,
  });
  await provider.close();
});
