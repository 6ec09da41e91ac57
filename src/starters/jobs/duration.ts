/** Parses `90s`, `15m`, `24h` or `7d` to milliseconds; null when it is no duration. */
export function readDuration(text: string): number | null {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return unit === undefined ? null : Number(count) * unitMs[unit as keyof typeof unitMs];
}
