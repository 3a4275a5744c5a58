import { describe, expect, test } from 'vitest';
import { sesLibrary } from '../../src/internal/ses/library.ts';

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });

describe('the packages behind SES', () => {
  test.each(['@aws-sdk/client-sesv2', 'nodemailer/lib/mail-composer'])('are asked for by name without %s', (absent) => {
    const find = (name: string): unknown => {
      if (name === absent) throw missing(name);
      return {};
    };
    expect(() => sesLibrary('sesv2', '@aws-sdk/client-sesv2', find)).toThrow(
      expect.objectContaining({
        code: 'DRIVER_MISSING',
        message: expect.stringContaining('run: npm install @aws-sdk/client-sesv2 nodemailer') as string,
      }),
    );
  });

  test('that break as they load are not called missing', () => {
    const broken = (): never => {
      throw new SyntaxError('what?');
    };
    expect(() => sesLibrary('ses', '@aws-sdk/client-ses', broken)).toThrow(SyntaxError);
  });
});
