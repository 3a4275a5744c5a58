// The thread that runs schedules of a search, built into a file of its own.
import '@sendonce/chaos/search-thread';
