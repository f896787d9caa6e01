// Arrivals at mbarriers.

/** Whether a row arrives at an mbarrier. */
export const isArrivalRow = (name: string): boolean => name.startsWith('mbarrier.arrive');
