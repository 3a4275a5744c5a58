import { reasonOf } from '../../model/errors.ts';
import {
  MOST_EVIDENCE,
  type AddressHealth,
  type AddressSuppression,
  type DestinationEvidence,
  type KeptAboutAddress,
  type ReportVerdict,
  type SuppressionVerdict,
} from '../../ports/destinations.ts';
import { healthOf, type AddressDocument, type Documents } from './documents.ts';

/**
 * Decides on one piece of evidence. At the very moment of a registration the registration wins: to be wrong about that costs one more try,
 * and the other way round a person is never told again.
 */
export function report(documents: Documents, evidence: DestinationEvidence): ReportVerdict {
  const { kind, at, provider: by, to } = evidence;
  const of = documents.address(evidence);
  const reason = withoutAddress(evidence.reason, [to, of.of[2]]);
  const isKnown = of.evidence.some(
    (each) => each.kind === kind && each.at === at && each.by === by && each.reason === reason,
  );
  if (isKnown) return { kind: 'noted' };
  const isStale = of.registeredAt !== null && at <= of.registeredAt;
  const counted = kind === 'dead' && !isStale && of.dead === null;
  const kept = { kind, at, notedAt: documents.now, by, reason, counted };
  const dead = counted ? { since: documents.now, reason: `${by}: ${reason}` } : of.dead;
  documents.putAddress({ ...of, dead, evidence: withKept(of, kept) });
  return { kind: counted ? 'deactivated' : isStale ? 'stale' : 'noted' };
}

export function suppress(documents: Documents, request: AddressSuppression): SuppressionVerdict {
  const { suppressed: isWanted, by, to, at = documents.now } = request;
  const of = documents.address(request);
  if (isWanted === (of.suppressed !== null)) return { kind: 'unchanged' };
  const kind = isWanted ? 'suppressed' : 'lifted';
  const reason = withoutAddress(request.reason, [to, of.of[2]]);
  const suppressed = isWanted ? { since: documents.now, reason: `${by}: ${reason}` } : null;
  const kept = { kind, at, notedAt: documents.now, by, reason, counted: true } as const;
  documents.putAddress({ ...of, suppressed, evidence: withKept(of, kept) });
  return { kind };
}

export function healthOfAddress(document: AddressDocument): AddressHealth {
  const [tenant, channel, address] = document.of;
  const { registeredAt, evidence } = document;
  return { tenant, channel, address, ...healthOf(document), registeredAt, evidence };
}

function withKept({ evidence }: AddressDocument, kept: KeptAboutAddress): readonly KeptAboutAddress[] {
  return [...evidence, kept].slice(-MOST_EVIDENCE);
}

/** Reasons are told where addresses may not be. */
function withoutAddress(reason: string, addresses: readonly string[]): string {
  let said = reason;
  for (const each of addresses) if (each.trim() !== '') said = said.replaceAll(each.trim(), '[address]');
  return reasonOf(said);
}
