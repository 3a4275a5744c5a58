import { describe, expect, test } from 'vitest';
import { checkRegion } from '../../src/internal/ses/region.ts';

const nothing = (): boolean => false;

describe('the region of SES', () => {
  test('that is nowhere is asked for where the provider is made', () => {
    expect(() => checkRegion('sesv2', undefined, { AWS_CONFIG_FILE: '/etc/aws/config' }, nothing)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message:
          "sesv2: region is missing: it is not given, AWS_REGION is not set, and there is no /etc/aws/config that could name it; give the region whose SES sends for you, such as region: 'eu-west-1'",
      }),
    );
    expect(() => checkRegion('ses', undefined, { AWS_REGION: '' }, nothing)).toThrow(/no ~\/\.aws\/config that/);
  });

  test.each<[string, string | undefined, NodeJS.ProcessEnv, (file: string) => boolean]>([
    ['given', 'eu-west-1', {}, nothing],
    ['set in the environment', undefined, { AWS_REGION: 'eu-west-1' }, nothing],
    ['perhaps in a profile', undefined, {}, (file) => /\.aws.config$/.test(file)],
    ['perhaps beside the credentials', undefined, {}, (file) => /\.aws.credentials$/.test(file)],
  ])('that is %s is not', (_, region, env, exists) => {
    expect(() => checkRegion('sesv2', region, env, exists)).not.toThrow();
  });
});
