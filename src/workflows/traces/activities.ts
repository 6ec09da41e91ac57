import type { createTraceActivities } from '../../activities/traces/traces';

export type Activities = ReturnType<typeof createTraceActivities>;
