import { asUserCode } from '@sendonce/chaos';
import { isSendonceError, SendonceError, type NotifierConfig, type Provider } from '@sendonce/core';
import { placeOf } from './place.ts';

/** One notification of an example that reaches more people than this never stops: a long list comes as a recipients file. */
export const MOST_TARGETS = 100_000;
const LONGEST_MESSAGE = 200;

/** Who watches over the user's functions while they run. */
export interface CodeWatch {
  /** Told once, what the numbers of `run` stand for: the first function is `first`. */
  readonly names: (names: readonly string[]) => void;
  readonly first: number;
  /** Runs one function and answers what it answers. */
  readonly run: <Result>(what: number, action: () => Result) => Result;
  /** The run cannot go on; what is thrown after that may be caught. */
  readonly fail: (error: SendonceError) => void;
}

type Type = NotifierConfig['notifications'][string];
type Call = (...args: readonly unknown[]) => unknown;

/** The functions of a type, whatever they are called with. */
interface Calls {
  readonly content: Call;
  readonly route?: Call;
  readonly key?: Call;
  readonly sample?: Call;
  readonly schema?: Schema;
}

/** One function of one type, as its parts need it. */
interface Named {
  readonly file: string;
  /** `content of 'hello'`. */
  readonly what: string;
  readonly watch: CodeWatch;
  readonly run: <Result>(action: () => Result) => Result;
}

/** The config with every function of its types under watch: it has a name while it runs, and what it throws says where. */
export function watchedConfig(file: string, config: NotifierConfig, watch: CodeWatch): NotifierConfig {
  const names: string[] = [];
  const named = (part: string, type: string): Named => {
    const what = `${part} of '${type}'`;
    const number = watch.first + names.push(what) - 1;
    return { file, what, watch, run: (action) => watch.run(number, () => asUserCode(what, action)) };
  };
  const types = Object.entries(config.notifications).map(([name, type]) => [name, watchedType(name, type, named)]);
  const channels = Object.entries(config.channels).map(([name, channel]) => [
    name,
    { ...channel, providers: channel.providers.map((provider) => watchedProvider(provider, named)) },
  ]);
  watch.names(names);
  return {
    ...config,
    channels: Object.fromEntries(channels) as NotifierConfig['channels'],
    notifications: Object.fromEntries(types) as NotifierConfig['notifications'],
  };
}

/** Its `check` is the one part of an adapter that a simulation calls. */
function watchedProvider(provider: Provider, named: (part: string, of: string) => Named): Provider {
  const { check } = provider as { readonly check?: Call };
  if (check === undefined) return provider;
  const watched = fatal(provider, check, named('check', provider.name));
  return { ...provider, check: watched as NonNullable<Provider['check']> };
}

function watchedType(name: string, type: Type, named: (part: string, type: string) => Named): Type {
  const { content, route, key, sample, schema } = type as unknown as Calls;
  const watched: Calls = {
    content: watchedContent(type, content, named('content', name)),
    ...(route && { route: watchedRoute(type, route, named('route', name)) }),
    ...(key && { key: fatal(type, key, named('key', name)) }),
    ...(sample && { sample: fatal(type, sample, named('sample', name)) }),
    ...(schema && { schema: watchedSchema(schema, named('schema', name)) }),
  };
  return { ...type, ...watched } as unknown as Type;
}

/** Content is frozen as JSON when it is marked: what JSON cannot hold is the content's own mistake, for this one message. */
function watchedContent(type: object, content: Call, { what, run }: Named): Call {
  const check = (made: unknown): unknown => {
    if (typeof made !== 'object' || made === null) return made;
    try {
      JSON.stringify(made);
    } catch (cause) {
      throw new TypeError(`it returned what JSON cannot hold (${messageOf(cause)}); return plain values`, { cause });
    }
    return made;
  };
  return (...args) =>
    run(() => {
      try {
        const made = Reflect.apply(content, type, args);
        return made instanceof Promise
          ? made.then(check).catch((thrown: unknown) => rethrow(thrown, what))
          : check(made);
      } catch (thrown) {
        return rethrow(thrown, what);
      }
    });
}

function watchedRoute(type: object, route: Call, named: Named): Call {
  const { what, run } = named;
  return (...args) =>
    run(() => {
      try {
        const targets = Reflect.apply(route, type, args);
        return targets instanceof Promise
          ? targets.then((given) => bounded(given, named)).catch((thrown: unknown) => rethrow(thrown, what))
          : bounded(targets, named);
      } catch (thrown) {
        return rethrow(thrown, what);
      }
    });
}

/** What a route yields little by little may never end. */
function bounded(targets: unknown, named: Named): unknown {
  if (typeof targets !== 'object' || targets === null || Array.isArray(targets)) return targets;
  if (Symbol.asyncIterator in targets) return readAsync(targets as AsyncIterable<unknown>, named);
  return Symbol.iterator in targets ? read(targets as Iterable<unknown>, named) : targets;
}

function* read(targets: Iterable<unknown>, named: Named): Generator {
  const source = named.run(() => targets[Symbol.iterator]());
  try {
    for (let count = 1; ; count++) {
      const next = nextOf(() => source.next(), named);
      if (next.done === true) return;
      checkCount(count, named);
      yield next.value;
    }
  } finally {
    source.return?.();
  }
}

async function* readAsync(targets: AsyncIterable<unknown>, named: Named): AsyncGenerator {
  const source = named.run(() => targets[Symbol.asyncIterator]());
  try {
    for (let count = 1; ; count++) {
      const next = await nextOf(() => source.next().catch((thrown: unknown) => rethrow(thrown, named.what)), named);
      if (next.done === true) return;
      checkCount(count, named);
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}

function nextOf<Next>(next: () => Next, { run, what }: Named): Next {
  return run(() => {
    try {
      return next();
    } catch (thrown) {
      return rethrow(thrown, what);
    }
  });
}

function checkCount(count: number, { file, what, watch }: Named): void {
  if (count <= MOST_TARGETS) return;
  const error = new SendonceError(
    'CONFIG_FILE_INVALID',
    `${file}: ${what} gave more than ${MOST_TARGETS.toLocaleString('en')} targets for one notification: does it ever end? ` +
      'A longer list comes by `--recipients-file`, to a type without a route.',
  );
  watch.fail(error);
  throw error;
}

/** Functions that a producer calls: without an answer of theirs there is nothing to simulate. */
function fatal(type: object, call: Call, { file, what, run }: Named): Call {
  return (...args) =>
    run(() => {
      try {
        return Reflect.apply(call, type, args);
      } catch (thrown) {
        throw fatalError(file, what, thrown);
      }
    });
}

interface Schema {
  readonly '~standard': { readonly validate: Call };
}

function watchedSchema(schema: Schema, { file, what, run }: Named): Schema {
  const standard = schema['~standard'];
  const refuse = (thrown: unknown): never => {
    throw fatalError(file, what, thrown);
  };
  return {
    '~standard': {
      ...standard,
      validate: (...args) =>
        run(() => {
          try {
            const result = Reflect.apply(standard.validate, standard, args);
            return result instanceof Promise ? result.catch(refuse) : result;
          } catch (thrown) {
            return refuse(thrown);
          }
        }),
    },
  };
}

function fatalError(file: string, what: string, thrown: unknown): SendonceError {
  if (isSendonceError(thrown, 'DETERMINISM_VIOLATION')) return thrown;
  return new SendonceError(
    'CONFIG_FILE_INVALID',
    `${file}: ${what} threw ${nameOf(thrown)}${messageOf(thrown)}${at(thrown)}`,
    {
      cause: thrown,
    },
  );
}

/** What core then stores as the reason: whose mistake it was and where, before a long message is cut. */
function rethrow(thrown: unknown, what: string): never {
  // What is no error and no text has nothing that could be added to: core says what it is.
  if (isSendonceError(thrown) || !(thrown instanceof Error || typeof thrown === 'string')) throw thrown;
  const text = messageOf(thrown);
  const message = text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}...` : text;
  const error = new Error(`${message} (${what}${at(thrown, ' at ')})`, { cause: thrown });
  error.name = thrown instanceof Error ? thrown.name : 'thrown';
  throw error;
}

function at(thrown: unknown, word = ', at '): string {
  const place = placeOf(thrown);
  return place === null ? '' : `${word}${place}`;
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ` : '';
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
