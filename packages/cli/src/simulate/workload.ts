import type { InputSummary, SimulateReport, Workload } from '@sendonce/chaos';
import { SendonceError, type NotifierConfig } from '@sendonce/core';
import { addressRules } from '@sendonce/core/internal';
import { collectRecipients, type Recipients } from '../recipients/collect-recipients.ts';
import { isStored, NOT_STORED } from './is-stored.ts';

/** What the user brought, read once and used by every schedule. */
export interface Brought {
  readonly recipients: Recipients | null;
  readonly config: NotifierConfig | null;
}

/** Reads the user's config file; the user's code is run where this says. */
export type LoadConfig = (file: string) => Promise<NotifierConfig>;

export async function bring(
  files: { readonly recipientsFile: string | null; readonly config: string | null },
  loadConfig: LoadConfig,
): Promise<Brought> {
  const { recipientsFile, config } = files;
  if (recipientsFile !== null && !isStored(recipientsFile))
    throw new SendonceError('RECIPIENTS_FILE_INVALID', `${recipientsFile}: ${NOT_STORED}`);
  const loaded = config === null ? null : await loadConfig(config);
  const rules = loaded === null ? {} : addressRules(loaded);
  return {
    recipients: recipientsFile === null ? null : await collectRecipients(recipientsFile, rules),
    config: loaded,
  };
}

/** Null: the seed makes it all. */
export function workloadOf({ recipients, config }: Brought, samples: number): Workload | null {
  if (config !== null) return { kind: 'config', config, samples, targets: recipients?.targets ?? null };
  return recipients === null ? null : { kind: 'recipients', targets: recipients.targets, doubles: recipients.doubles };
}

/** Without a file, what was made is what was requested. */
export function inputOf({ recipients }: Brought, report: Pick<SimulateReport, 'result'>): InputSummary {
  if (recipients === null) return { source: null, rows: report.result.requested, merged: 0, invalid: [] };
  const { source, rows, doubles, invalid } = recipients;
  return { source, rows, merged: doubles.length, invalid };
}
