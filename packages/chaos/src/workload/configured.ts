import type { Channel, NotificationType, NotifierConfig, TargetInput } from '@sendonce/core';
import { draw, hashText, unit } from '../kernel/draw.ts';
import type { Publication, Workload, WorkloadSpec } from '../workload.ts';
import { seededTarget } from './recipient.ts';

const SAMPLE = hashText('sample');

type Type = NotificationType<unknown>;

/** The user's own types, each with its own sample data, route and content. Recipients are learned as they are added. */
export function configuredWorkload(
  spec: Extract<WorkloadSpec, { kind: 'config' }>,
  numbers: readonly number[],
  seed: number,
): Workload {
  const { config } = spec;
  // A shrunk setup asks for fewer, and its plan is run again without this spec.
  const samples = Math.min(spec.samples, numbers.length);
  const types = Object.entries(config.notifications) as unknown as [string, Type][];
  const routed = types.filter(([, type]) => type.route !== undefined);
  const plain = types.filter(([, type]) => type.route === undefined);
  const channels = Object.keys(config.channels) as Channel[];
  const recipients = (): readonly TargetInput[] => spec.targets ?? seededTargets(config, numbers, seed);
  const ofPlain = (entry: [string, Type]): Publication => publicationOf(entry, 0, seed, recipients);
  const ofRouted = (index: number): Publication => {
    const entry = routed[index % routed.length] as [string, Type];
    return publicationOf(entry, index, seed, null);
  };
  return {
    notifications: config.notifications,
    config,
    channels,
    known: null,
    input: null,
    publications: plain.length + (routed.length === 0 ? 0 : samples),
    publication: (index) => {
      const entry = plain[index];
      return entry === undefined ? ofRouted(index - plain.length) : ofPlain(entry);
    },
  };
}

function seededTargets(config: NotifierConfig, numbers: readonly number[], seed: number): readonly TargetInput[] {
  const channels = Object.keys(config.channels) as Channel[];
  const channel = channels.includes('email') ? 'email' : (channels[0] ?? 'email');
  return numbers.map((number) => seededTarget(seed, number, channel));
}

function publicationOf(
  [name, type]: [string, Type],
  index: number,
  seed: number,
  recipients: (() => readonly TargetInput[]) | null,
): Publication {
  let draws = 0;
  const random = (): number => unit(draw(seed, SAMPLE, hashText(name) + index, draws++));
  const data = type.sample?.(index, random) ?? {};
  return { type: name, data, key: type.key?.(data) ?? `simulated-${index}`, recipients };
}
