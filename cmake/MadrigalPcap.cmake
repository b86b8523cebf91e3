# libpcap, which writes captures (Debian: libpcap-dev). Without it the library says so where a capture is wanted.
option(MADRIGAL_PCAP "Write captures with libpcap where it is installed" ON)

set(MADRIGAL_HAS_PCAP FALSE)
if(MADRIGAL_PCAP)
  find_library(MADRIGAL_LIBPCAP pcap)
  find_path(MADRIGAL_LIBPCAP_HEADER pcap/pcap.h)
  mark_as_advanced(MADRIGAL_LIBPCAP MADRIGAL_LIBPCAP_HEADER)
  if(MADRIGAL_LIBPCAP AND MADRIGAL_LIBPCAP_HEADER)
    set(MADRIGAL_HAS_PCAP TRUE)
  else()
    message(STATUS "libpcap not found: built without captures (Debian: libpcap-dev)")
  endif()
endif()
