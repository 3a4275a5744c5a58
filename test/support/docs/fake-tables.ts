import { fakeApns } from '../../../packages/adapters/src/fakes/apns.ts';
import { fakeFcm } from '../../../packages/adapters/src/fakes/fcm.ts';
import { fakeInfobip } from '../../../packages/adapters/src/fakes/infobip.ts';
import { fakeLine } from '../../../packages/adapters/src/fakes/line.ts';
import { fakeMailgun } from '../../../packages/adapters/src/fakes/mailgun.ts';
import { fakePostmark } from '../../../packages/adapters/src/fakes/postmark.ts';
import { fakeResend } from '../../../packages/adapters/src/fakes/resend.ts';
import { fakeSendgrid } from '../../../packages/adapters/src/fakes/sendgrid.ts';
import { fakeSes } from '../../../packages/adapters/src/fakes/ses.ts';
import { fakeSesV2 } from '../../../packages/adapters/src/fakes/sesv2.ts';
import { fakeSlack } from '../../../packages/adapters/src/fakes/slack.ts';
import type { WireFake } from '../../../packages/adapters/src/fakes/support/fake.ts';
import { FAULTS } from '../../../packages/adapters/src/fakes/support/faults.ts';
import { fakeTwilio } from '../../../packages/adapters/src/fakes/twilio.ts';
import { fakeVonage } from '../../../packages/adapters/src/fakes/vonage.ts';
import { fakeWebPush } from '../../../packages/adapters/src/fakes/web-push.ts';
import { fakeWebhook } from '../../../packages/adapters/src/fakes/webhook.ts';
import { fakeWhatsAppCloud } from '../../../packages/adapters/src/fakes/whatsapp-cloud.ts';
import type { Tables } from './includes.ts';
import { table } from './table.ts';

const FACTORIES: readonly (() => WireFake)[] = [
  ...[fakeResend, fakePostmark, fakeMailgun, fakeSendgrid, fakeSesV2, fakeSes],
  ...[fakeTwilio, fakeInfobip, fakeVonage, fakeWhatsAppCloud, fakeLine],
  ...[fakeFcm, fakeApns, fakeWebPush, fakeSlack, fakeWebhook],
];

/** What the fakes do: their faults, how each treats a repeat, and the codes by which each refuses. */
export function fakeTables(): Tables {
  return { 'fake-faults': faults, fakes, 'fake-refusals': refusals };
}

function faults(): string {
  return table(
    ['`kind`', 'the vendor'],
    Object.entries(FAULTS).map(([kind, does]) => [`\`${kind}\``, does]),
  );
}

function fakes(): string {
  return table(
    ['fake', 'import', 'through msw', 'knows a repeat', 'can be asked'],
    FACTORIES.map((make) => {
      const { name, title, handlers, keyWindowMs, settleMs } = make();
      return [
        `\`${make.name}\`: ${title}`,
        `\`@sendonce/adapters/fakes/${name}\``,
        handlers.length === 0 ? 'no: HTTP/2' : 'yes',
        keyWindowMs === null ? 'never' : `for ${keyWindowMs / 3_600_000} h`,
        settleMs === null ? 'no' : `after ${settleMs / 60_000} min`,
      ];
    }),
  );
}

function refusals(): string {
  return table(
    ['fake', 'HTTP', '`code` of `refuse`', 'means'],
    FACTORIES.flatMap((make) => {
      const groups = new Map<string, string[]>();
      for (const [code, { status, means }] of Object.entries(make().refusals)) {
        const group = `${status}|${means}`;
        groups.set(group, [...(groups.get(group) ?? []), `\`${code}\``]);
      }
      return [...groups].map(([group, codes]) => {
        const [status = '', means = ''] = group.split('|');
        return [`\`${make.name}\``, status, codes.join(', '), means];
      });
    }),
  );
}
