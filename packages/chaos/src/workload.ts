import type { Channel, NotifierConfig, TargetInput } from '@sendonce/core';

/** One call of `publish`, as the producer makes it. */
export interface Publication {
  readonly type: string;
  readonly key: string;
  readonly data: unknown;
  /** Null: the type's route tells. Each call starts again at the first. */
  readonly recipients: (() => Iterable<TargetInput>) | null;
}

/** What is sent in a run. */
export interface Workload {
  readonly notifications: NotifierConfig['notifications'];
  /** The user's config, whose classes, worker options and capabilities hold; null: the simulator's own. */
  readonly config: NotifierConfig | null;
  readonly channels: readonly Channel[];
  /** Null: recipients are learned when their deliveries are added. */
  readonly known: KnownRecipients | null;
  /** Rows that were given; null where there is no list of rows. */
  readonly input: { readonly rows: number; readonly merged: number; readonly invalid: number } | null;
  /** How many publications there are. */
  readonly publications: number;
  readonly publication: (index: number) => Publication;
}

/** Recipients that are known beforehand: their numbers, and who they are. The target's data carry its `number`. */
export interface KnownRecipients {
  readonly numbers: readonly number[];
  readonly targetOf: (number: number) => TargetInput;
}

/** What is sent, when it is not made from the seed. */
export type WorkloadSpec =
  /** `targets[17]` is recipient 17; `doubles` name somebody in `targets` again and are published after them, so that merging is run too. */
  | {
      readonly kind: 'recipients';
      readonly targets: readonly TargetInput[];
      readonly doubles: readonly TargetInput[];
    }
  /** The user's own types: `samples` notifications, round robin over the types with a route; each other type once, to `targets` (null: made from the seed). */
  | {
      readonly kind: 'config';
      readonly config: NotifierConfig;
      readonly samples: number;
      readonly targets: readonly TargetInput[] | null;
    };
