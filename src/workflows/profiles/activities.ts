import type { createProfileActivities } from '../../activities/profiles/profiles';

export type Activities = ReturnType<typeof createProfileActivities>;
