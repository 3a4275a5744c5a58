import assert from 'node:assert/strict';
import type { Law } from '../contract.ts';
import { NOTE, only, P0, P1 } from './requests.ts';
import { scene } from './scene.ts';
import type { LedgerSubject } from './subject.ts';

const SCOPES = ['all', 'channel:email', 'type:laws', 'class:transactional', `provider:${P0}`] as const;
const OTHER_SCOPES = ['channel:sms', 'type:other', 'class:marketing', `provider:${P1}`] as const;

export const gateLaws: readonly Law<LedgerSubject>[] = [
  {
    law: 'refuses what has expired, and says so in its state',
    async check(subject) {
      const s = await scene(subject, { expiresInUnits: 5 });
      const { fence } = await s.grant();
      await s.elapse(6);
      assert.equal((await s.mark(s.id, fence)).kind, 'expired');
      assert.deepEqual([(await s.record()).state, (await s.record()).attempts.length], ['expired', 0]);
    },
  },
  {
    law: 'refuses what the recipient opted out of: by topic or all, by channel or all',
    async check(subject) {
      const s = await scene(subject, { recipients: 4 });
      const choices = [
        ['laws', '*'],
        ['*', '*'],
        ['laws', 'email'],
        ['*', 'email'],
      ] as const;
      for (const [i, id] of s.ids.entries()) {
        const [topic = '*', channel = '*'] = choices[i] ?? [];
        const { fence } = await s.grant(id);
        await s.ledger.suppress([
          { tenant: 'default', recipientId: `r${i}@example.com`, topic, channel, suppressed: true, ...NOTE },
        ]);
        assert.equal((await s.mark(id, fence)).kind, 'suppressed', `${topic} on ${channel}`);
        assert.equal((await s.record(id)).state, 'suppressed');
      }
    },
  },
  {
    law: 'lets pass what an opt-out is not about: another tenant, topic, channel or person, or one that was lifted',
    async check(subject) {
      const s = await scene(subject);
      const optOut = {
        tenant: 'default',
        recipientId: 'r0@example.com',
        topic: '*',
        channel: '*',
        suppressed: true,
        ...NOTE,
      } as const;
      await s.ledger.suppress([
        { ...optOut, tenant: 'another' },
        { ...optOut, recipientId: 'r1@example.com' },
        { ...optOut, topic: 'another' },
        { ...optOut, channel: 'sms' },
        optOut,
        { ...optOut, suppressed: false },
      ]);
      await s.begin();
    },
  },
  {
    law: 'sends what cannot be opted out of in spite of an opt-out',
    async check(subject) {
      const s = await scene(subject, { topic: null });
      await s.ledger.suppress([
        { tenant: 'default', recipientId: 'r0@example.com', topic: '*', channel: '*', suppressed: true, ...NOTE },
      ]);
      await s.begin();
    },
  },
  {
    law: 'makes what is blocked wait, says by which scope, and lets it pass when the block is lifted',
    async check(subject) {
      const s = await scene(subject);
      for (const scope of SCOPES) {
        const block = { scope, blocked: true, recheckMs: subject.unitMs * 3, ...NOTE };
        await s.ledger.block([block]);
        const verdict = await s.mark(s.id, (await s.grant()).fence);
        assert.deepEqual([verdict.kind, verdict.kind === 'blocked' && verdict.scope], ['blocked', scope]);
        const later = only(await s.claim());
        assert.ok(later.kind === 'later' && later.dueInMs <= subject.unitMs * 3, JSON.stringify(later));
        await s.ledger.block([{ ...block, blocked: false }]);
        await s.elapse(4);
      }
      await s.begin();
    },
  },
  {
    law: 'does not let a block touch what it is not about',
    async check(subject) {
      const s = await scene(subject);
      await s.ledger.block(OTHER_SCOPES.map((scope) => ({ scope, blocked: true, recheckMs: 1_000, ...NOTE })));
      await s.begin();
    },
  },
];
