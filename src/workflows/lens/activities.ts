import type { createLensActivities } from '../../activities/lens/lens';

export type Activities = ReturnType<typeof createLensActivities>;
