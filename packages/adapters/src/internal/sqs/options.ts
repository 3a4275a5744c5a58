import { isFields, numberRule, type Rule, type Rules } from '@sendonce/core/internal';
import { httpUrl } from '../options.ts';
import { ON_UNREADABLE_RULE, TIMEOUT_RULE } from '../queue/answers.ts';

/** SQS keeps a message hidden for 12 hours at most, ms. */
export const MAX_VISIBILITY_MS: number = 12 * 60 * 60 * 1_000;

const CLIENT_RULE: Rule = {
  must: "a client of the '@aws-sdk/client-sqs' package: new SQSClient(...)",
  fits: (value) => isFields(value) && typeof value['send'] === 'function',
  required: true,
  hidden: true,
};
const QUEUE_URL_RULE: Rule = {
  must: "the queue's URL, such as https://sqs.eu-west-1.amazonaws.com/123456789012/wakes",
  fits: (value) => typeof value === 'string' && httpUrl(value) !== null,
  required: true,
};

export const SQS_RULES: Rules = {
  client: CLIENT_RULE,
  queueUrl: QUEUE_URL_RULE,
  visibilityMs: numberRule({ least: 1_000, most: MAX_VISIBILITY_MS }, ' ms'),
  timeoutMs: TIMEOUT_RULE,
  onUnreadable: ON_UNREADABLE_RULE,
};
