import { codes, rows, type OutcomeRow } from '../api/outcome-table.ts';

const API = 'https://docs.aws.amazon.com/ses/latest';

/** What each answer proves, by the name of the error; version 1 and 2 of the API have names of their own for the same. */
export const SES_OUTCOMES: readonly OutcomeRow[] = [
  ...codes(
    null,
    ['BadRequestException', 'InvalidParameterValue', 'MessageRejected', 'ValidationError'],
    'rejected message',
    `${API}/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors`,
  ),
  ...rows([413], 'rejected message', `${API}/dg/quotas.html: longer than is taken`),
  ...codes(
    null,
    [
      ...['MailFromDomainNotVerifiedException', 'NotFoundException', 'ConfigurationSetDoesNotExist'],
      ...['ConfigurationSetDoesNotExistException', 'AccountSuspendedException', 'SendingPausedException'],
      ...['AccountSendingPausedException', 'ConfigurationSetSendingPausedException'],
    ],
    'rejected provider',
    `${API}/APIReference/API_SendRawEmail.html#API_SendRawEmail_Errors: the sender, the configuration set or the account`,
  ),
  ...codes(
    null,
    [
      ...['AccessDenied', 'AccessDeniedException', 'ExpiredToken', 'ExpiredTokenException', 'InvalidClientTokenId'],
      ...['UnrecognizedClientException', 'SignatureDoesNotMatch', 'InvalidSignatureException', 'OptInRequired'],
    ],
    'rejected provider',
    `${API}/APIReference/CommonErrors.html: the credentials`,
  ),
  ...codes(
    null,
    ['TooManyRequestsException', 'LimitExceededException', 'Throttling', 'ThrottlingException'],
    'deferred',
    `${API}/dg/manage-sending-quotas-errors.html: nothing was taken`,
  ),
];

/** One name for what is not verified, the sender or in a sandbox the recipient, and for what a virus is in. */
export function isUnverified(code: string | null, reason: string | null): boolean {
  return code === 'MessageRejected' && /not verified/i.test(reason ?? '');
}

const HOUR_MS = 3_600_000;

/** The rate is free again in a second or so; what was sent today counts for 24 hours, bit by bit. */
export function quotaWaitMs(reason: string | null): number | null {
  return /daily message quota/i.test(reason ?? '') ? HOUR_MS : null;
}
