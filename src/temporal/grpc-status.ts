import { isGrpcServiceError } from '@temporalio/client';

/** The codes that we distinguish (google.rpc.Code). */
const codes = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
};

/** Whether the server answered with one of these. */
export function isGrpcStatus(error: unknown, ...names: (keyof typeof codes)[]): boolean {
  return isGrpcServiceError(error) && names.some((name) => codes[name] === (error.code as number));
}
