import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Messages and stacks of failures become payloads, so that the codec seals them too. The workflow
 * bundle holds this file: nothing but `@temporalio/common` may be imported here.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
