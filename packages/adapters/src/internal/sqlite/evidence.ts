import type { DeliveryRecord, Evidence } from '@sendonce/core';
import { evidenceKeys, keyOfEvidence } from '@sendonce/core/records';
import type { Connection } from './database.ts';
import { parsed } from './sound.ts';

/** Evidence that nothing matched yet (PROTOCOL rule 11), by the delivery or the provider's message that it names. */
export interface KeptEvidence {
  begin(): void;
  keep(evidence: Evidence, now: number): void;
  /** Takes out what belongs to this delivery. */
  takeFor(record: DeliveryRecord): readonly Evidence[];
}

export function keptEvidence(connection: Connection): KeptEvidence {
  let isEmpty: boolean | null = null;

  function take(about: string): readonly Evidence[] {
    const rows = connection.all<{ body: string }>(
      'SELECT body FROM sendonce_kept_evidence WHERE about = ? ORDER BY kept_at',
      about,
    );
    if (rows.length > 0) connection.run('DELETE FROM sendonce_kept_evidence WHERE about = ?', about);
    return rows.flatMap(({ body }) => parsed<Evidence>(body) ?? []);
  }

  return {
    begin() {
      isEmpty = null;
    },
    keep(evidence, now) {
      isEmpty = false;
      const { provider, providerMessageId } = evidence;
      connection.run(
        `INSERT INTO sendonce_kept_evidence (about, provider, message, kind, kept_at, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        keyOfEvidence(evidence),
        provider,
        providerMessageId ?? '',
        evidence.kind,
        now,
        JSON.stringify(evidence),
      );
    },
    takeFor(record) {
      isEmpty ??= connection.get('SELECT 1 FROM sendonce_kept_evidence LIMIT 1') === undefined;
      return isEmpty ? [] : evidenceKeys(record).flatMap(take);
    },
  };
}
