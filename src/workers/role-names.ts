/** What a process can be. */
export const roleNames = ['workflows', 'investigation', 'certificates', 'credit'] as const;

export type RoleName = (typeof roleNames)[number];
