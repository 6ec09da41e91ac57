export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const its = groups.get(key);
    if (its === undefined) groups.set(key, [item]);
    else its.push(item);
  }
  return groups;
}
