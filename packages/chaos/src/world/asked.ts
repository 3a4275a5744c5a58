import { notificationId, toTarget } from '@sendonce/core';
import { addressRules, checkedAddress } from '@sendonce/core/internal';
import type {
  AddressRules,
  ContentContext,
  MessageContent,
  NewNotification,
  SealRequest,
  Target,
  TargetInput,
} from '@sendonce/core';
import type { JudgeContext } from '../checkers/context.ts';
import { destinationsOf } from './destinations.ts';
import { knownTarget, TENANT } from './requested.ts';
import type { World } from './world.ts';

type Asked = Pick<JudgeContext, 'targetOf' | 'contentOf' | 'isAskedFor' | 'failsToRoute' | 'addressProblemOf'>;
type Make = (data: unknown, target: Target, of: ContentContext) => MessageContent | Promise<MessageContent>;
/** Whom a notification is for; `fails`: its route throws; null: nobody can say at once. */
type Audience = ReadonlySet<string> | 'fails' | null;

/** Of more recipients the targets are not kept, but made again: a million would be most of the memory. */
const MANY = 100_000;

/** What was asked for: made from what the harness itself published, so that no sender can have changed it. */
export function askedOf(world: World): Asked {
  const { registry, options } = world;
  const { workload } = options;
  const { notifications: published, targets } = publishedIn(world);
  const rules = workload.config === null ? {} : addressRules(workload.config);
  const { seed } = world.kernel;
  const identities = identitiesBy(rules, workload.config?.destinations === undefined ? null : seed);
  const audiences = new Map<string, Audience>();
  let onlyId: string | null = null;

  /** Recipients that are known beforehand are those of one notification. */
  function idOfOnly(): string {
    const { type, key } = workload.publication(0);
    return (onlyId ??= notificationId(TENANT, type, key));
  }

  function audienceOf(id: string): Audience {
    const known = audiences.get(id);
    if (known !== undefined) return known;
    const found = audience(id);
    audiences.set(id, found);
    return found;
  }

  function audience(id: string): Audience {
    const index = registry.publicationOf(id);
    const notification = published.get(id);
    if (index === null || notification === undefined) return null;
    const { recipients } = workload.publication(index);
    if (recipients !== null) return identities(recipients());
    const route = workload.notifications[notification.type]?.route as ((data: unknown) => unknown) | undefined;
    try {
      const targets = route?.(notification.data);
      if (Array.isArray(targets) && targets.length > options.knobs.maxTargets) return 'fails';
      return Array.isArray(targets) ? identities(targets as readonly TargetInput[]) : null;
    } catch {
      return 'fails';
    }
  }

  return {
    targetOf: (recipient) =>
      targets[recipient] ?? registry.learnedOf(recipient)?.target ?? knownTarget(recipient, workload),
    contentOf(recipient, target, of) {
      const notification = published.get(registry.learnedOf(recipient)?.notificationId ?? onlyId ?? idOfOnly());
      if (notification === undefined) return null;
      const make = workload.notifications[notification.type]?.content as Make | undefined;
      return make === undefined ? null : make(notification.data, target, of);
    },
    addressProblemOf({ channel, to }) {
      const verdict = checkedAddress(rules, channel, to);
      return verdict.kind === 'unusable' ? verdict.problem : null;
    },
    isAskedFor(id, target) {
      const found = audienceOf(id);
      return found === null || found === 'fails' ? null : found.has(identityOf(target));
    },
    failsToRoute(id) {
      const found = audienceOf(id);
      return found === null ? null : found === 'fails';
    },
  };
}

interface Published {
  /** By id: their data went through the type's schema. */
  readonly notifications: ReadonlyMap<string, NewNotification>;
  /** By the number of a known recipient; of one that is named twice the first. Empty where there are too many. */
  readonly targets: readonly (Target | undefined)[];
}

/** What the producer handed over to the ledger, as it did so. */
function publishedIn(world: World): Published {
  const notifications = new Map<string, NewNotification>();
  const targets: (Target | undefined)[] = [];
  const isKept = world.options.workload.known !== null && world.registry.size <= MANY;
  const keep = (page: readonly Target[]): void => {
    if (!isKept) return;
    for (const target of page) {
      const { number } = target.data;
      if (typeof number === 'number') targets[number] ??= target;
    }
  };
  const watch = (op: string, look: (args: unknown) => void): void =>
    world.watchCalls(
      ({ args, life }) => {
        if (life.process.name.startsWith('producer')) look(args);
      },
      [op],
    );
  watch('ledger.accept', (args) => {
    for (const each of (args as { readonly batch: readonly NewNotification[] }).batch) {
      if (!notifications.has(each.id)) notifications.set(each.id, each);
      keep(each.page ?? []);
    }
  });
  if (isKept) watch('ledger.seal', (args) => (args as readonly SealRequest[]).forEach((page) => keep(page.targets)));
  return { notifications, targets };
}

/** `seed`: of the recipients' virtual destinations, which are sent to where a target names no address; null: there are none. */
function identitiesBy(
  rules: AddressRules,
  seed: number | null,
): (targets: Iterable<TargetInput>) => ReadonlySet<string> {
  return (targets) => {
    const all = new Set<string>();
    for (const input of targets) {
      const target = toTarget(input, rules);
      all.add(identityOf(target));
      if (seed === null || target.to !== '' || target.recipientId === '' || target.problem !== undefined) continue;
      for (const { id, to } of destinationsOf(seed, { tenant: TENANT, ...target }))
        all.add(identityOf(toTarget({ ...input, to, destinationId: id }, rules)));
    }
    return all;
  };
}

function identityOf({ channel, to, recipientId, destinationId }: Target): string {
  return JSON.stringify([channel, to, recipientId, destinationId]);
}
