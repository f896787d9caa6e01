// How much the tests draw and select: what fits a pull request, or with LANEWISE_LONG=1 all of it.

export const isLong = process.env.LANEWISE_LONG === '1';

/// `few` of something, or in a long run `many`.
export const effort = <T>(few: T, many: T): T => (isLong ? many : few);
