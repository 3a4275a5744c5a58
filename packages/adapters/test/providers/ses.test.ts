import { ses } from '../../src/providers/ses.ts';
import { testSes } from './support/ses-provider.ts';

const XMLNS = 'xmlns="http://ses.amazonaws.com/doc/2010-12-01/"';

testSes({
  name: 'ses',
  make: (options) => ses(options as never),
  taken: (id) =>
    `<SendRawEmailResponse ${XMLNS}><SendRawEmailResult><MessageId>${id}</MessageId></SendRawEmailResult></SendRawEmailResponse>`,
  refusal: (code, words = 'in words') =>
    `<ErrorResponse ${XMLNS}><Error><Type>Sender</Type><Code>${code}</Code><Message>${words}</Message></Error></ErrorResponse>`,
  megabytes: 7,
  mostMegabytes: 10,
  read: ({ line, body }) => {
    const { 'RawMessage.Data': data = '', ...said } = Object.fromEntries(new URLSearchParams(body));
    return { fields: { line, ...said }, mime: Buffer.from(data, 'base64').toString() };
  },
  fields: (tag, to) => ({
    line: 'POST / HTTP/1.1',
    Action: 'SendRawEmail',
    Version: '2010-12-01',
    Source: 'shop@example.com',
    'Destinations.member.1': to,
    'Tags.member.1.Name': 'sendonce_delivery',
    'Tags.member.1.Value': tag,
    ConfigurationSetName: 'events',
  }),
});
