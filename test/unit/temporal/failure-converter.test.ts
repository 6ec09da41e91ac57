import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { failureConverterPath } from '../../../src/temporal/payload/data-converter';

it('leaves no message and no stack of a failure, or of its cause, outside of payloads', () => {
  const { failureConverter } = loadDataConverter({ failureConverterPath });
  const cause = new Error('12.345.678/0001-95 was refused');
  const error = ApplicationFailure.create({ message: 'about 12345678000195', cause });
  const proto = failureConverter.errorToFailure(error, defaultPayloadConverter);
  const shown = {
    ...proto,
    encodedAttributes: null,
    cause: { ...proto.cause, encodedAttributes: null },
  };
  expect(JSON.stringify(shown)).not.toMatch(/12\.?345|failure-converter\.test/);
  const back = failureConverter.failureToError(proto, defaultPayloadConverter);
  expect(back.message).toBe('about 12345678000195');
  expect((back.cause as Error).message).toBe('12.345.678/0001-95 was refused');
});
