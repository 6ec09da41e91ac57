/** @returns what the running test of the file has written to standard output so far */
export function printedByTests(): () => string {
  let printed = '';
  beforeEach(() => {
    printed = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  });
  afterEach(() => jest.restoreAllMocks());
  return () => printed;
}
