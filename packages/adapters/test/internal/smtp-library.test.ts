import MailComposer from 'nodemailer/lib/mail-composer';
import SmtpConnection from 'nodemailer/lib/smtp-connection';
import { expect, test } from 'vitest';
import { isSendonceError } from '@sendonce/core';
import { mailLibrary, type MailLibrary } from '../../src/internal/smtp/library.ts';

test('the part of the library that we describe is what it has', () => {
  // That this compiles is most of the test.
  const described: MailLibrary = { SmtpConnection, MailComposer };
  const found = mailLibrary();
  expect([found.SmtpConnection.name, found.MailComposer.name]).toEqual([
    described.SmtpConnection.name,
    described.MailComposer.name,
  ]);
});

test('a library that is not installed is named, with the line that installs it', () => {
  const missing = (): never => {
    throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
  };
  let thrown: unknown;
  try {
    mailLibrary(missing);
  } catch (error) {
    thrown = error;
  }
  expect(isSendonceError(thrown, 'DRIVER_MISSING')).toBe(true);
  expect(String(thrown)).toMatch(/run: npm install nodemailer$/);
});

test('a library that is broken is not said to be missing', () => {
  const broken = (): never => {
    throw new SyntaxError('unexpected end');
  };
  expect(() => mailLibrary(broken)).toThrow(SyntaxError);
});
