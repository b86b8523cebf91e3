/* A program in C, as they are: opens the default port, asks the node behind it who it is, and prints that. */
#include <infiniband/umad.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { smp_class = 0x81, mad_size = 256, node_info = 0x11 };

static uint64_t big64(uint8_t const* at)
{
    uint64_t value = 0;
    for (int i = 0; i != 8; ++i)
        value = value << 8 | at[i];
    return value;
}

static int fail(char const* what)
{
    perror(what);
    return 1;
}

int main(void)
{
    static_assert(sizeof(struct ib_user_mad) == 64, "the header before each MAD");
    if (umad_init() != 0)
        return fail("umad_init");
    umad_port_t port;
    if (umad_get_port(NULL, 0, &port) != 0)
        return fail("umad_get_port");
    int const id = umad_open_port(port.ca_name, port.portnum);
    if (id < 0)
        return fail("umad_open_port");
    int const agent = umad_register(id, smp_class, 1, 0, NULL);
    if (agent < 0)
        return fail("umad_register");

    void* const umad = umad_alloc(1, umad_size() + mad_size);
    uint8_t* const mad = umad_get_mad(umad);
    umad_set_addr(umad, 0xFFFF, 0, 0, 0);
    mad[0] = 1; /* a directed route without a hop */
    mad[1] = smp_class;
    mad[2] = 1;
    mad[3] = 0x01;
    mad[15] = 0x2A;
    mad[17] = node_info;
    memset(mad + 32, 0xFF, 4);
    if (umad_send(id, agent, umad, mad_size, 1000, 3) != 0)
        return fail("umad_send");
    int length = mad_size;
    if (umad_recv(id, umad, &length, -1) != agent || umad_status(umad) != 0)
        return fail("umad_recv");
    printf("%s port %d lid %u port GUID 0x%016" PRIx64 " node GUID 0x%016" PRIx64 "\n", port.ca_name, port.portnum,
        port.base_lid, be64toh(port.port_guid), big64(mad + 64 + 12));

    umad_free(umad);
    if (umad_unregister(id, agent) != 0 || umad_close_port(id) != 0 || umad_release_port(&port) != 0)
        return fail("closing");
    return umad_done();
}
