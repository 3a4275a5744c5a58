import { imported } from '../installed.ts';

/**
 * The commands of the vendor's package, which the user has for the client. Loaded by the first call and not with the adapter, so that where
 * it is missing its line is asked for; by `import`, so that a bundle for AWS Lambda takes it along.
 */
export function sqsLibrary<Sdk>(find: () => Promise<Sdk>): () => Promise<Sdk> {
  return imported(find, "SQS needs the '@aws-sdk/client-sqs' package; run: npm install @aws-sdk/client-sqs");
}
