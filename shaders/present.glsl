// The finished picture, linear light, onto a framebuffer that stores what it is given: encode to sRGB here.

#ifdef VERTEX
void main() {
    // One triangle that covers the whole framebuffer.
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
#endif

#ifdef FRAGMENT
uniform sampler2D picture;

out vec4 encoded;

void main() {
    vec3 light = texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb;
    vec3 low = light * 12.92;
    vec3 high = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
    encoded = vec4(mix(high, low, lessThanEqual(light, vec3(0.0031308))), 1.0);
}
#endif
